# Everything is installed into .venv, by these targets alone; PYTHON may name another Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
# As pip does with what it copies: a start should not have to compile the sources, nor what changed of them since.
COMPILED = $(BIN)/python -m compileall -q inspector widgets

.PHONY: demo test test-all check lint types contract bench snapshots tables pictures docs clean

demo: $(RUN)
	@$(COMPILED)
	@$(BIN)/compaction-inspector --demo

# What pytest makes of the tests is kept, wherever Python is told to keep nothing: to make it takes each process some seconds.
test: $(DEV)
	@$(COMPILED)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest

# The long tails too: every recorded list, many examples, hundreds of damaged files, the wheel, what benchmarks run on.
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

# The tables that the documentation takes from the code.
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
