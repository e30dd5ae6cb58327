# The targets of the project; `make` alone lists them.

# Incremental compilation speeds up edits, not checks, and takes disk space.
export CARGO_INCREMENTAL := 0

# A fresh installation of Rust puts its programs here.
export PATH := $(HOME)/.cargo/bin:$(PATH)

PGN ?= sample/sample.pgn.zst
FUZZ_SECONDS ?= 20
FUZZ_RUNS ?= 200000

# nextest, where installed, runs test programs side by side. It does not run documentation tests.
CARGO_TEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo cargo nextest run || echo cargo test)

.DEFAULT_GOAL := help
.PHONY: help test quick format lint unit build doc peers python extension web page contract depot network test-cluster \
	test-cluster-long run bench fuzz fuzz-quick package licenses deny tools node

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The page comes first: it is part of the program, which is then compiled only once.
test: tools web format lint unit doc fuzz-quick peers python page contract depot network test-cluster ## Run all checks: format, lints, tests, documentation

format: tools ## Check the format of the code
	cargo fmt --all --check

lint: tools ## Run clippy without tolerating warnings
	cargo clippy --workspace --all-targets -- -D warnings

quick: format lint ## For daily work: format, lints and unit tests
	$(CARGO_TEST) --workspace --lib --bins

unit: build ## Run the unit, property, integration and documentation tests
	$(CARGO_TEST) --workspace --tests
	cargo test --workspace --doc

# The programs that the other checks run, and the Python extension. For a smaller selection, cargo would choose other
# features of the dependencies and compile most of the code again.
build: tools
	cargo build --workspace --lib --bins --tests

doc: tools ## Build the documentation without tolerating warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

peers: build .venv/installed .venv/tablebases ## Test against a third-party UCI client, PGN reader and trec_eval
	.venv/bin/python tests/uci_client.py target/debug/tabiya .venv/tablebases
	.venv/bin/python tests/measures.py target/debug/tabiya-lab
	.venv/bin/python tests/annotations.py tests/fixtures/annotated.pgn tests/fixtures/annotated-export.pgn
	rm -rf target/annotated && target/debug/tabiya index tests/fixtures/annotated.pgn --db target/annotated
	target/debug/tabiya export --db target/annotated --output target/annotated.pgn
	.venv/bin/python tests/annotations.py tests/fixtures/annotated.pgn target/annotated.pgn

python: build extension ## Build the Python package; check its types, stubs and tests
	cd python && ../.venv/bin/mypy && ../.venv/bin/python -m mypy.stubtest tabiya._native
	cd python && ../.venv/bin/python -m pytest --quiet

# What `maturin develop` does, with the extension that `build` has compiled: maturin would compile it in a selection of
# its own. It writes the metadata.
extension: build .venv/installed
	cp target/debug/lib_native.so python/tabiya/_native.abi3.so
	. .venv/bin/activate && cd python && python -c 'import maturin, pathlib, site; \
		packages = pathlib.Path(site.getsitepackages()[0]); \
		packages.joinpath("tabiya.pth").write_text("$(CURDIR)/python\n"); \
		maturin.prepare_metadata_for_build_wheel(str(packages))'

.venv/installed: tests/requirements.txt
	python3 -m venv .venv || { apt-get update && apt-get install -y python3-venv && python3 -m venv .venv; }
	.venv/bin/pip install --quiet --requirement tests/requirements.txt
	touch $@

# The source archive of python-chess contains the tablebases of up to four pieces.
.venv/tablebases: .venv/installed
	rm -rf .venv/source $@ && mkdir -p .venv/source
	.venv/bin/pip download --quiet --no-deps --no-binary chess --dest .venv/source "$$(grep ^chess= tests/requirements.txt)"
	tar -xzf .venv/source/chess-*.tar.gz -C .venv/source
	mv .venv/source/chess-*/data/syzygy/regular $@
	rm -r .venv/source
	touch $@

web: web/dist/index.html ## Build the page that tabiya serve shows (needs Node.js)

PAGE_SOURCES := web/index.html web/openapi.json web/vite.config.ts $(shell find web/src web/public -type f)

web/dist/index.html: web/node_modules/.package-lock.json $(PAGE_SOURCES)
	cd web && npm run --silent build

# Not `npm ci`: it requires the bundler's binaries for all platforms, and the lock file
# lists only one.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json | node
	cd web && npm install --no-save --no-audit --no-fund
	touch $@

page: web build ## Check the page: types, format, unit tests and browser tests
	@command -v chromium >/dev/null || apt-get install -y chromium || { apt-get update && apt-get install -y chromium; }
	cd web && npm run --silent check && npm run --silent test
	cd web && npm run --silent browse

contract: build .venv/installed ## Test the server against its OpenAPI description
	.venv/bin/python tests/api_contract.py target/debug/tabiya

depot: build .venv/installed ## Test push and pull with a real object store, SeaweedFS
	.venv/bin/python tests/depot.py target/debug/tabiya

network: build ## Test the server behind a reverse proxy, nginx
	@{ command -v nginx && command -v openssl; } >/dev/null || { apt-get update && apt-get install -y nginx-light openssl; }
	python3 tests/proxy.py target/debug/tabiya
	python3 packaging/licenses.py --check

test-cluster: build extension ## Test that a cluster answers like one machine, even while nodes are killed
	@command -v redis-server >/dev/null || apt-get install -y redis-server || { apt-get update && apt-get install -y redis-server; }
	.venv/bin/python tests/cluster.py target/debug/tabiya

test-cluster-long: test-cluster ## Test a cluster also under partitions, slow links, full disks and bad storage (as root)
	.venv/bin/python tests/cluster_faults.py target/debug/tabiya

run: tools web ## Build everything and serve the page with the built-in sample
	cargo run --release -- serve

bench: tools ## Measure indexing and search on PGN=FILE (default: the sample), beside Lucene with LUCENE=JARS
	cargo run --release --manifest-path bench/Cargo.toml --bin search -- $(PGN)

# With the same seed in every run, and no more inputs than were tried before: a fast machine shall not fail where others
# pass. For new findings: FUZZ_SEED=7 FUZZ_SECONDS=600 FUZZ_RUNS=1000000000 make fuzz-quick. The targets run side by side
# on all cores, with the assertions and overflow checks of the debug build.
fuzz-quick: build ## Send mutated input to every parser, FUZZ_SECONDS=20 or FUZZ_RUNS=200000 each, on stable Rust
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_RUNS=$(FUZZ_RUNS) cargo test --workspace --test fuzz -- --nocapture

fuzz: ## Run each fuzz target for FUZZ_SECONDS=20 (needs nightly and cargo-fuzz)
	cd fuzz && for target in $$(cargo +nightly fuzz list); do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

package: tools web .venv/installed ## Build the packages (target/package) and try them
	packaging/build.sh
	packaging/try.sh

licenses: ## List the licenses of the dependencies (THIRD-PARTY.md)
	python3 packaging/licenses.py

deny: ## Check licenses, duplicates and sources of the dependencies with cargo-deny
	@cargo deny --version >/dev/null 2>&1 || cargo install --locked cargo-deny
	cargo deny check bans licenses sources

# Installs missing tools.
tools:
	@command -v cargo >/dev/null || { echo "install a Rust toolchain first (1.95 or newer)"; exit 1; }
	@cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

node:
	@command -v npm >/dev/null || { echo "install Node.js first (20.19 or newer); the program works without the page"; exit 1; }
