# Two commands, and nothing else but Python 3.11, make and the package index.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OLDEST := .venv-oldest
OLDEST_TRITON := 3.6.0
EXAMPLES := $(sort $(wildcard examples/*.py))
# Tests start many processes: where this is set, each of them compiles every module anew. Empty is not set.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test tests test-oldest fuzz matrix lint style types layers install docs golden clean

demo: $(STAMP)
	$(BIN)/gluon-inspect report $(EXAMPLES) --target cuda:90 --brief --statistics --fail-on never

# Types and layers keep one core busy each: the tests run beside them.
test: $(STAMP)
	$(MAKE) --no-print-directory --jobs=2 lint tests

tests: $(STAMP)
	$(BIN)/python -m pytest

# Recording and reporting with the oldest Triton that is supported.
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest tests/recording/test_record.py tests/cli/test_report.py
	$(OLDEST)/bin/python -m pytest tests/bulk/test_examples.py -k "swizzle or waited"

# Changed inputs of every kind, a few of each: none may end in a traceback, a hang or a flood of memory.
fuzz: $(STAMP)
	$(BIN)/python -m scripts.fuzz --tries 20

# By hand, before a release: the examples under every Python and Triton that is supported say the same.
matrix: $(STAMP)
	$(BIN)/python -m scripts.matrix

lint: style layers types

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

layers: style
	$(BIN)/lint-imports

types: layers
	$(BIN)/pyright

install: $(STAMP)

docs: $(STAMP)
	$(BIN)/gluon-inspect rules --format markdown > docs/rules.md
	$(BIN)/python -c "from gluon_inspect.wording.words import as_markdown; print(as_markdown(), end='')" > docs/words.md

# What the tool answers on kept inputs, all of it: prints what differs from what is kept, and keeps it.
golden: $(STAMP)
	$(BIN)/python -m scripts.golden --write --diff

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

$(OLDEST)/.installed: pyproject.toml constraints.txt
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	sed 's/^triton==.*/triton==$(OLDEST_TRITON)/' constraints.txt > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) .pytest_cache .ruff_cache .hypothesis
