# Everything a person or CI runs here. `make` alone lists the targets.
# Set-up is remembered in stamp files, so that a second run goes straight to the work.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first Python on the path that is new enough and really runs (a pyenv shim may exist and still refuse).
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo "$$p"; break; fi; done)
# npm, where there is a Node that is new enough; empty elsewhere. `make NPM= site` does without.
NPM ?= $(shell if node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' >/dev/null 2>&1; then command -v npm; fi)

VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS ?= requirements/constraints.txt
PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --constraint $(CONSTRAINTS)
# Where the site ends up, and a folder beside it on the same disk to build in.
SITE ?= site
BUILD := .build
HOST ?= mkdocs
MUTATE_ARGS ?= --sample 2000 --seed 1
CODE := plugins scripts site_src tools tests
# Material and ProperDocs print a page about MkDocs 2 at each start; we stay below 2.
export NO_MKDOCS_2_WARNING := true
export DISABLE_MKDOCS_2_WARNING := true

step = @printf '\n== %s\n' '$(1)'

##@ Read and write
.PHONY: site serve check published fix
site: setup ## Set up, build the site strictly, and put it in site/ only if all is well
	$(call step,Building the site ($(HOST), strict))
	@rm -rf $(BUILD)/new $(BUILD)/old && mkdir -p $(BUILD)
	@$(BIN)/$(HOST) build --strict --config-file mkdocs.yml --site-dir $(BUILD)/new
	@if [ -e '$(SITE)' ]; then mv '$(SITE)' $(BUILD)/old; fi && mv $(BUILD)/new '$(SITE)' && rm -rf $(BUILD)/old
	@echo 'Done: open $(SITE)/index.html, or run "make serve".'

serve: setup ## Serve the site on this machine; it follows every change (SERVE_ARGS='--dev-addr 127.0.0.1:8001')
	$(BIN)/mkdocs serve $(SERVE_ARGS)

check: setup ## Check every number, without building
	$(BIN)/ledgermark check

published: setup ## See that every number shown is on the record of what was published
	@$(BIN)/ledgermark publish --check

fix: setup ## Rewrite the numbers that the data no longer gives
	$(BIN)/ledgermark fix

##@ Test
.PHONY: test unit browser lint format links bench mutate fuzz zensical
test: setup-dev chromium ## Set up and run every test
	$(call step,Testing)
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

unit: setup-dev ## Run the tests that need no browser
	@$(BIN)/python -m pytest -m 'not browser' $(PYTEST_ARGS)

browser: setup-dev chromium ## Run the tests that open the site in Chromium
	@$(BIN)/python -m pytest -m browser $(PYTEST_ARGS)

lint: setup-dev ## Look for faults in the code: style, types, formatting
	$(call step,ruff)
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check $(CODE)
	$(call step,mypy)
	@$(BIN)/mypy

format: setup-dev ## Format the code and fix what can be fixed safely
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

links: setup-dev ## Check links, fragments, scripts, styles and data paths of the built site
	$(call step,Links and fragments)
	@test -d '$(SITE)' || { echo 'No $(SITE)/ here: run "make site" first.' >&2; exit 2; }
	@$(BIN)/lychee --offline --include-fragments --index-files index.html --no-progress --root-dir "$$PWD/$(SITE)" --exclude-path '404\.html$$' '$(SITE)'
	$(call step,Scripts styles and data paths)
	@$(BIN)/python -m tools.check_assets '$(SITE)'

bench: setup-dev ## Time the build with and without ledgermark over the same pages, and the check of a generated project of 20,000 claims
	@$(BIN)/python -m tools.bench $(BENCH_ARGS)
	@$(BIN)/python -m tools.bench_scale

mutate: setup-dev ## Put a sample of faults into the site, one by one, and see that the check notices each (MUTATE_ARGS= for all)
	$(call step,Mutating)
	@$(BIN)/ledgermark mutate $(MUTATE_ARGS)

fuzz: setup-dev ## Fuzz documents, numbers and data for long
	@$(BIN)/python -m pytest tests/fuzz --hypothesis-profile=long

zensical: setup-dev ## Build the same pages with Zensical, into .build/zensical/site
	$(call step,Zensical)
	@$(BIN)/ledgermark stage $(BUILD)/zensical
	@cd $(BUILD)/zensical && '$(CURDIR)/$(BIN)/zensical' build --strict
	@$(BIN)/python -m tools.check_stamp $(BUILD)/zensical/site

##@ Kernel
.PHONY: gpu compile-check sweep
gpu: setup-dev ## Run the kernel's tests on this machine's GPU
	@$(BIN)/python -m pytest -m gpu tests/kernels tests/gate_patch

compile-check: setup-dev ## Compile the kernels for six GPUs, without one
	@$(BIN)/python -m scripts.compile_check --out data/kernel_compile.csv

sweep: setup-dev ## Time the kernel and its peers on this machine's GPU
	@$(BIN)/python -m scripts.attention.sweep $(SWEEP_ARGS)

##@ Measure
.PHONY: measure bench-client bench-trace
measure: setup-dev ## Measure a server: make measure MEASURE_ARGS='ladder --url http://localhost:8000' (see scripts/measure/README.md)
	@$(BIN)/python -m scripts.measure $(or $(MEASURE_ARGS),--help)

bench-client: setup-dev ## Time what the measuring client itself costs at 200 tokens a second
	@$(BIN)/python -m tools.bench_client

bench-trace: setup-dev ## Time how fast a profiler's trace of 2 GB is read, and in how much memory
	@$(BIN)/python -m tools.bench_trace

##@ Look after
.PHONY: setup setup-dev chromium constraints clean distclean help
setup: $(VENV)/.installed-site node_modules/.installed ## Install what the site needs

setup-dev: setup $(VENV)/.installed-dev ## Install what the tests need

chromium: ## Find a Chromium; install one where that is ours to do (root, apt-get)
	@tools/chromium.sh

constraints: $(VENV)/.made ## Write requirements/constraints.txt anew from the newest releases
	$(call step,Resolving the newest releases)
	@rm -rf $(BUILD)/pin && mkdir -p $(BUILD)
	@$(PYTHON) -m venv $(BUILD)/pin
	@$(BUILD)/pin/bin/python -m pip install --quiet --disable-pip-version-check '.[site,stills,dev,kernels,measure,serve,trace,campaign]'
	@{ echo '# The exact versions that `make` installs and CI tests. Written by `make constraints`; do not edit.'; \
		$(BUILD)/pin/bin/python -m pip freeze --exclude ledgermark | sed \
		's/^pymdown-extensions==.*/&; python_full_version >= "3.11.5"\npymdown-extensions==12.3; python_full_version < "3.11.5"/'; \
		} > $(BUILD)/constraints.txt
	@mv $(BUILD)/constraints.txt requirements/constraints.txt && rm -rf $(BUILD)/pin
	@git --no-pager diff --stat -- requirements/constraints.txt

clean: ## Remove what was built
	rm -rf $(SITE) $(BUILD) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis

distclean: clean ## Remove what was installed, too
	rm -rf $(VENV) node_modules

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.made:
	$(call step,Making $(VENV))
	@test -n '$(PYTHON)' || { echo 'No Python 3.11 or newer on the path: install one, or say PYTHON=/path/to/python3.' >&2; exit 2; }
	@'$(PYTHON)' -m venv $(VENV) || { rm -rf $(VENV); \
		echo 'This Python cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv).' >&2; exit 2; }
	@touch $@

$(VENV)/.installed-site: $(VENV)/.made pyproject.toml $(CONSTRAINTS)
	$(call step,Installing ledgermark and what the site needs (a minute or so))
	@$(PIP_INSTALL) --editable '.[site,stills]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed-site
	$(call step,Installing what the tests need (a minute or so))
	@$(PIP_INSTALL) --editable '.[site,stills,dev,kernels,measure,serve,trace,campaign]'
	@touch $@

# Without Node nothing is fetched or stamped: the build says in one line what it took instead, and a Node installed later is noticed.
node_modules/.installed: package.json package-lock.json
ifneq ($(strip $(NPM)),)
	$(call step,Fetching the browser bundle of Plotly)
	@'$(NPM)' ci --no-audit --no-fund
	@touch $@
endif
