#!/bin/sh
# Builds the packages into target/package: a static program, a Debian package, a wheel.
#
# Packages run on every x86-64 processor. Bitboards live on counting and scanning bits, so the Debian package also has a
# build for processors since 2013 (x86-64-v3), which the plain program replaces itself by where it can.
set -eu
cd "$(dirname "$0")/.."
out=target/package
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
mkdir -p "$out"

echo "== the program for every processor, static where musl is at hand"
target=$machine-unknown-linux-musl
if rustup target list --installed 2>/dev/null | grep -q "$target" && command -v musl-gcc >/dev/null; then
    RUSTFLAGS="" cargo build --release --locked --package tabiya --target "$target" --target-dir target/portable
    plain=$out/tabiya-static
    install --mode 755 --strip "target/portable/$target/release/tabiya" "$plain"
else
    echo "no static program: it needs rustup target add $target, and musl-tools"
    RUSTFLAGS="" cargo build --release --locked --package tabiya --target-dir target/portable
    plain=target/portable/release/tabiya
fi

echo "== the program for newer processors"
cargo build --release --locked --package tabiya
fast=target/release/tabiya

echo "== the Debian package"
if command -v dpkg-deb >/dev/null; then
    architecture=$(dpkg --print-architecture)
    tree=target/package/deb
    rm -rf "$tree"
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/tabiya" "$tree/usr/share/man/man1" "$tree/usr/lib/systemd/system" \
        "$tree/usr/share/bash-completion/completions" "$tree/usr/share/zsh/vendor-completions" \
        "$tree/usr/share/fish/vendor_completions.d" "$tree/usr/lib/tabiya"
    install -D --mode 755 --strip "$plain" "$tree/usr/bin/tabiya"
    if [ "$machine" = x86_64 ]; then
        install -D --mode 755 --strip "$fast" "$tree/usr/lib/tabiya/tabiya-x86-64-v3"
    fi
    "$plain" man --output "$tree/usr/share/man/man1"
    gzip --best --no-name "$tree"/usr/share/man/man1/*.1
    "$plain" completions bash >"$tree/usr/share/bash-completion/completions/tabiya"
    "$plain" completions zsh >"$tree/usr/share/zsh/vendor-completions/_tabiya"
    "$plain" completions fish >"$tree/usr/share/fish/vendor_completions.d/tabiya.fish"
    install --mode 644 packaging/tabiya.service "$tree/usr/lib/systemd/system/"
    install --mode 644 LICENSE "$tree/usr/share/doc/tabiya/copyright"
    install --mode 644 THIRD-PARTY.md CHANGELOG.md "$tree/usr/share/doc/tabiya/"
    size=$(du --summarize --apparent-size --block-size 1024 "$tree" | cut -f 1)
    # The oldest glibc that has all symbols of the program.
    glibc=$(objdump -T "$fast" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2)
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: tabiya
Version: $version
Architecture: $architecture
Maintainer: The Tabiya developers <tabiya@localhost>
Installed-Size: $size
Depends: libc6 (>= $glibc), libgcc-s1
Section: games
Priority: optional
Description: memory for chess players: find similar positions in real games
 Show it a position: from a collection of real games it finds the positions
 most like it, explains why they are alike, and shows what was played there
 and how it ended. With a web page, an HTTP API and a UCI engine.
CONTROL
    dpkg-deb --root-owner-group --build "$tree" "$out/tabiya_${version}_$architecture.deb"
    rm -r "$tree"
else
    echo "skipped: needs dpkg-deb"
fi

echo "== the wheel"
maturin=$(command -v maturin || echo .venv/bin/maturin)
if [ -x "$maturin" ]; then
    RUSTFLAGS="" CARGO_TARGET_DIR=target/portable "$maturin" build --release --locked --manifest-path python/Cargo.toml --out "$out"
else
    echo "skipped: needs maturin (make .venv/installed)"
fi
ls -l "$out"
