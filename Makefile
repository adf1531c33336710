# Two commands, and nothing else but Python 3.11, make and the package index.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXAMPLES := $(sort $(wildcard examples/*.py))

.PHONY: demo test lint install docs clean

demo: $(STAMP)
	$(BIN)/gluon-inspect report $(EXAMPLES) --target cuda:90 --brief --fail-on never

test: lint
	$(BIN)/python -m pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

install: $(STAMP)

docs: $(STAMP)
	$(BIN)/gluon-inspect rules --format markdown > docs/rules.md

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
