#!/bin/sh
# Tries what build.sh made, each in a clean place: install it, index a file, ask for a position. Lists at the end what
# this machine could not try.
set -eu
cd "$(dirname "$0")/.."
out=$(pwd)/target/package
static=$out/tabiya-static
place=$(mktemp -d)
chmod 777 "$place"
trap 'rm -rf "$place"' EXIT
untried=""

# Notes what is not tried, and why.
leave() {
    untried="$untried
    $1"
}

# Runs the two commands of the README: a name, the root folder they see, and the program.
try() {
    name=$1 folder=$2$place
    shift 2
    mkdir -p "$folder"
    chmod 777 "$folder"
    rm -rf "$folder/db"
    printf '[White "Anna"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n' >"$folder/games.pgn"
    "$@" index "$place/games.pgn" --db "$place/db"
    "$@" search --moves "1. e4 e5 2. Nf3 Nc6" --db "$place/db" --json | grep -q '"white": *"Anna"'
    echo "works: $name"
}

cargo install --quiet --locked --path crates/app --root "$place/cargo"
try "cargo install" "" "$place/cargo/bin/tabiya"

root=$place/debian
for package in "$out"/*.deb; do
    [ -e "$package" ] || { leave "Debian package: not built" && break; }
    dpkg-deb --info "$package" | grep -E 'Package|Version|Depends|Size'
    if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
        mmdebstrap --quiet --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
        cp "$package" "$root/tabiya.deb"
        chroot "$root" dpkg --install /tabiya.deb
        try "Debian package, in a new Debian" "$root" chroot "$root" tabiya
    else
        leave "installation of the Debian package in a new Debian (needs root and mmdebstrap); its files were unpacked"
        dpkg-deb --extract "$package" "$root"
        try "Debian package" "" "$root/usr/bin/tabiya"
    fi
    test -e "$root/usr/share/man/man1/tabiya.1.gz"
    test -e "$root/usr/share/bash-completion/completions/tabiya"
    leave "start of the service"
    if command -v systemd-analyze >/dev/null; then
        # The program and its manual are in the new Debian only.
        unit=$root/usr/lib/systemd/system/tabiya.service
        problems=$(systemd-analyze verify "$unit" 2>&1 | grep -v -e 'not executable' -e 'Command .man ' || true)
        [ -z "$problems" ] || { echo "$problems" && exit 1; }
    else
        leave "file of the service (needs systemd-analyze)"
    fi
done

if [ -e "$static" ]; then
    try "static program" "" "$static"
    if ldd "$static" 2>&1 | grep -q '=>'; then
        echo "tabiya-static is not static"
        exit 1
    fi
    if [ "$(id -u)" = 0 ]; then
        mkdir "$place/empty"
        cp "$static" "$place/empty/tabiya"
        inside="chroot --userspec 65534:65534 $place/empty /tabiya"
        try "static program, as nobody in an empty root" "$place/empty" $inside
        # As in the container.
        timeout 20 $inside serve --db "$place/db" --address 0.0.0.0 --port 0 --read-only --json | head -n 1 | grep -q address
    fi
else
    leave "static program: not built"
fi

# Some machines forbid what the usual runtime does; the other asks for less.
container() {
    podman run --rm --network none --volume "$place:$place" tabiya "$@" 2>"$place/why" ||
        podman --runtime runc run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
            --volume "$place:$place" tabiya "$@"
}
if [ -e "$static" ] && command -v podman >/dev/null; then
    podman build --quiet --file packaging/Containerfile --tag tabiya .
    if container --version; then
        try "container" "" container
    else
        leave "container: built, but podman cannot start one here: $(cat "$place/why")"
    fi
else
    leave "container (needs podman and the static program)"
fi

for wheel in "$out"/*.whl; do
    [ -e "$wheel" ] || { leave "wheel: not built" && break; }
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet "$wheel"
    "$place/venv/bin/python" - "$place" <<'PYTHON'
import sys, chess, tabiya
folder = sys.argv[1]
tabiya.index(f"{folder}/games.pgn", f"{folder}/wheel")
board = chess.Board()
for move in ("e4", "e5", "Nf3", "Nc6"):
    board.push_san(move)
[hit] = tabiya.Collection(f"{folder}/wheel").search(board, top=1)
assert hit.game.white == "Anna", hit
print("works: wheel")
PYTHON
done

# Older processors, where an emulator can stand in for one.
fast=$root/usr/lib/tabiya/tabiya-x86-64-v3
if command -v qemu-x86_64 >/dev/null && [ -e "$fast" ]; then
    try "Debian package on a processor of 2006" "" qemu-x86_64 -cpu core2duo "$root/usr/bin/tabiya"
    qemu-x86_64 -cpu core2duo "$fast" --version 2>&1 | grep 'newer processors'
else
    leave "older processors (needs qemu-user and the Debian package)"
fi
echo "not tried:$untried"
