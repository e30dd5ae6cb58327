#!/bin/sh
# Tries what build.sh made, each in a clean place: install it, index a file, ask for a position.
set -eu
cd "$(dirname "$0")/.."
out=$(pwd)/target/package
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
printf '[White "Anna"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n' >"$place/games.pgn"

# The two commands, with a program.
two_commands() {
    rm -rf "$place/db"
    "$1" index "$place/games.pgn" --db "$place/db"
    "$1" search --moves "1. e4 e5 2. Nf3 Nc6" --db "$place/db" --json | grep -q '"white": *"Anna"'
    echo "works: $1"
}

for package in "$out"/*.deb; do
    [ -e "$package" ] || continue
    dpkg-deb --extract "$package" "$place/deb"
    dpkg-deb --info "$package" | grep -E 'Package|Version|Depends'
    two_commands "$place/deb/usr/bin/tabiya"
    test -e "$place/deb/usr/share/man/man1/tabiya.1.gz"
    test -e "$place/deb/usr/share/bash-completion/completions/tabiya"
    if command -v systemd-analyze >/dev/null; then
        systemd-analyze verify "$place/deb/usr/lib/systemd/system/tabiya.service" 2>&1 | grep -v -e 'not executable' -e 'Command .man ' || true
    fi
done
if [ -e "$out/tabiya-static" ]; then
    two_commands "$out/tabiya-static"
    if ldd "$out/tabiya-static" 2>&1 | grep -q '=>'; then
        echo "tabiya-static is not static"
        exit 1
    fi
    # What the container has: the program and the games, a user without rights, nothing to link to.
    if [ "$(id -u)" = 0 ]; then
        root=$place/root
        mkdir -p "$root/games"
        cp "$out/tabiya-static" "$root/tabiya"
        cp -r "$place/db/." "$root/games"
        inside="chroot --userspec 65534:65534 $root /tabiya"
        $inside search --moves "1. e4 e5 2. Nf3 Nc6" --db /games --json | grep -q '"white": *"Anna"'
        timeout 20 $inside serve --db /games --address 0.0.0.0 --port 0 --read-only --json | head -n 1 | grep -q address
        echo "works: in an empty root, as nobody"
    fi
fi
if [ -e "$out/tabiya-static" ] && command -v podman >/dev/null; then
    podman build --quiet --file packaging/Containerfile --tag tabiya .
    podman run --rm tabiya --version
    echo "works: container"
fi
for wheel in "$out"/*.whl; do
    [ -e "$wheel" ] || continue
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet "$wheel"
    "$place/venv/bin/python" - "$place" <<'PYTHON'
import sys, chess, tabiya
folder = sys.argv[1]
tabiya.index(f"{folder}/games.pgn", f"{folder}/wheel")
board = chess.Board()
for move in ("e4", "e5", "Nf3", "Nc6"):
    board.push_san(move)
hit = tabiya.Collection(f"{folder}/wheel").search(board, top=1)
print("works: wheel", [it.game.white for it in hit])
PYTHON
done
# Older processors, where an emulator can stand in for one.
if command -v qemu-x86_64 >/dev/null && [ -e "$place/deb/usr/bin/tabiya" ]; then
    qemu-x86_64 -cpu core2duo "$place/deb/usr/bin/tabiya" search --moves "1. e4 e5 2. Nf3 Nc6" --db "$place/db" --json | grep -q Anna
    echo "works: on a processor of 2006"
    if qemu-x86_64 -cpu core2duo "$place/deb/usr/lib/tabiya/tabiya-x86-64-v3" --version 2>&1 | grep 'newer processors'; then
        echo "works: the build for newer processors says so"
    fi
fi
