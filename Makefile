# Everything is installed into .venv, by these targets alone; PYTHON may name another Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
# Compile the sources, as pip does when it copies files, so that no start has to.
COMPILED = $(BIN)/python -m compileall -q inspector widgets

.PHONY: demo test test-all check lint types contract bench snapshots tables pictures docs clean

demo: $(RUN)
	@$(COMPILED)
	@$(BIN)/compaction-inspector --demo

# Keep the test files that pytest rewrites, also where Python keeps no compiled files: this saves seconds in each process.
test: $(DEV)
	@$(COMPILED)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest

# Run the slow tests too: every recorded list, many examples, hundreds of damaged files, the wheel, the benchmarks' data.
test-all: $(DEV)
	@$(COMPILED)
	@$(BIN)/python -m pytest -n 0 tests/benchmarks/check_generator.py
	@$(BIN)/python -m pytest --slow

check: lint types contract test

lint: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(DEV)
	@$(BIN)/mypy

contract: $(DEV)
	@$(BIN)/lint-imports

bench: $(DEV)
	@$(BIN)/python -m tests.benchmarks $(ARGS)

snapshots: $(DEV)
	@$(BIN)/python -m pytest --slow tests/app tests/widgets --snapshot-update

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; name one with PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(RUN): pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[offline]'
	@$(COMPILED)
	@touch $@

$(DOCS): pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), development tools too ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[offline,dev]'
	@$(COMPILED)
	@touch $@ $(RUN)

pictures: tables
	@$(BIN)/python docs/pictures/take.py

# Renew the tables of the documentation that come from the code.
tables: $(DEV)
	@$(BIN)/python docs/keys.py
	@$(BIN)/python docs/agents.py
	@$(BIN)/python docs/settings.py
	@$(BIN)/python docs/findings.py

# The site, in build/site. A broken link or picture is an error.
docs: $(DOCS)
	@$(BIN)/zensical build --strict --clean

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
