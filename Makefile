# The verbs of the project; `make` alone lists them.

# Incremental compilation helps edits, not checks, and takes disk space.
export CARGO_INCREMENTAL := 0

# Where a fresh installation of Rust puts its programs.
export PATH := $(HOME)/.cargo/bin:$(PATH)

PGN ?= sample/sample.pgn.zst
FUZZ_SECONDS ?= 30
QUERY := r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11

.DEFAULT_GOAL := help
.PHONY: help test format lint unit doc peers run bench fuzz tools

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: tools format lint unit doc peers ## Check everything: format, lints, all tests, documentation

format: tools ## Is the code formatted?
	cargo fmt --all --check

lint: tools ## Is clippy content?
	cargo clippy --workspace --all-targets -- -D warnings

unit: tools ## Run unit, property, integration and documentation tests
	cargo test --workspace

doc: tools ## Does the documentation build without a warning?
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

peers: .venv/installed .venv/tablebases ## Hold the program against a UCI client and trec_eval, both written by others
	cargo build
	.venv/bin/python tests/uci_client.py target/debug/tabiya .venv/tablebases
	.venv/bin/python tests/measures.py target/debug/tabiya

.venv/installed: tests/requirements.txt
	python3 -m venv .venv || { apt-get install -y python3-venv && python3 -m venv .venv; }
	.venv/bin/pip install --quiet --requirement tests/requirements.txt
	touch $@

# The source archive of python-chess has the tablebases of up to four pieces.
.venv/tablebases: .venv/installed
	rm -rf .venv/source $@ && mkdir -p .venv/source
	.venv/bin/pip download --quiet --no-deps --no-binary chess --dest .venv/source "$$(grep ^chess= tests/requirements.txt)"
	tar -xzf .venv/source/chess-*.tar.gz -C .venv/source
	mv .venv/source/chess-*/data/syzygy/regular $@
	rm -r .venv/source
	touch $@

run: tools ## Search the built-in sample for positions like the one in the README
	cargo run --release -- search "$(QUERY)"

bench: tools ## Measure indexing and search on PGN=FILE (default: the sample)
	cargo run --release --manifest-path bench/Cargo.toml --bin search -- $(PGN)

fuzz: ## Run each fuzz target for FUZZ_SECONDS=30 (needs nightly and cargo-fuzz)
	cd fuzz && for target in $$(cargo +nightly fuzz list); do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

# Installs what is missing, and only that.
tools:
	@command -v cargo >/dev/null || { echo "install a Rust toolchain first (1.95 or newer)"; exit 1; }
	@cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
