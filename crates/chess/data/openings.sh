#!/bin/sh
# Makes openings.tsv from the table of names in the crate `crabchess` 0.1.15
# (MIT), which is the `chess-openings` data set of lichess.org (CC0 1.0).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The crate that runs the conversion embeds the table; an empty one will do.
touch "$here/openings.tsv"
mkdir "$work/src"
echo 'fn main() {}' > "$work/src/main.rs"
printf '%s\n' '[package]' 'name = "openings-source"' 'edition = "2024"' \
    '[dependencies]' 'crabchess = "=0.1.15"' '[workspace]' > "$work/Cargo.toml"
cargo vendor --quiet --manifest-path "$work/Cargo.toml" "$work/vendor" > /dev/null
cargo run --quiet --manifest-path "$here/../Cargo.toml" --example openings \
    < "$work/vendor/crabchess/src/data/book.csv" > "$work/openings.tsv"
mv "$work/openings.tsv" "$here/openings.tsv"
