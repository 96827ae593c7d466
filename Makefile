# make demo   the environment, a small real tournament, its Elo table and plot
# make test   the environment, every check and test
# make reference   the reference tournament, whose report is kept in results/reference/report/

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo reference test check slow bench clean

demo: $(STAMP)
	$(BIN)/loa run bots/examples.toml

reference: $(STAMP)
	$(BIN)/loa run bots/reference.toml

test: check
	$(BIN)/python -m pytest -q -n 2 -m "not slow and not process"
	$(BIN)/python -m pytest -q -n 2 -m "process and not alone and not slow"
	$(BIN)/python -m pytest -q -m "alone and not slow"

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

slow: $(STAMP)
	$(BIN)/python -m pytest -q -m slow

bench: $(STAMP)
	$(BIN)/python -m tests.bench.everything

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
