#!/bin/sh
# Builds the packages into target/package: a static program, a Debian package, a wheel.
#
# Packages run on every x86-64 processor. Bitboards live on counting and scanning bits, so the Debian package also has a
# build for processors since 2013 (x86-64-v3), which the plain program replaces itself by where it can.
set -eu
cd "$(dirname "$0")/.."
out=target/package
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
if [ "$machine" = x86_64 ] && command -v dpkg-shlibdeps >/dev/null; then
    cargo deb --version >/dev/null 2>&1 || cargo install --locked cargo-deb
    # What [package.metadata.deb] of crates/app/Cargo.toml puts into place.
    parts=$out/deb
    rm -rf "$parts"
    mkdir -p "$parts/man"
    install --mode 755 --strip "$plain" "$parts/tabiya"
    install --mode 755 --strip "$fast" "$parts/tabiya-x86-64-v3"
    "$plain" man --output "$parts/man"
    for shell in bash zsh fish; do
        "$plain" completions $shell >"$parts/tabiya.$shell"
    done
    cargo deb --package tabiya --no-build --no-strip --deb-revision "" --output "$out/"
    rm -r "$parts"
else
    echo "no Debian package: it needs a processor of x86-64, and dpkg-dev"
fi

echo "== the wheel"
maturin=$(command -v maturin || echo .venv/bin/maturin)
if [ -x "$maturin" ]; then
    RUSTFLAGS="" CARGO_TARGET_DIR=target/portable "$maturin" build --release --locked --manifest-path python/Cargo.toml --out "$out"
else
    echo "no wheel: it needs maturin (make .venv/installed)"
fi
ls -l "$out"
