# Two commands for everybody: `make run` opens ldptui, `make test` checks everything.
# Both set up .venv on first use and need only Python (3.11 or newer), make, and pip or uv.

PYTHON ?= python3
BIN := .venv/bin
RUN := .venv/.run
READY := .venv/.ready
SITE := .venv/.site
UV := $(shell command -v uv 2>/dev/null)

ifdef UV
NEW := $(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
INSTALL := $(UV) pip install --python $(BIN)/python
else
NEW := $(PYTHON) -m venv .venv
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
endif

# What the program needs is compiled on all processors, without the tests that others ship; files
# that are no Python of this version are left alone.
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '[/\\]tests?[/\\]'

.PHONY: run test size code tests-compiled test-long test-mutants format site dist bench bench-tui clean

run: $(RUN)
	@$(BIN)/ldptui $(ARGS)

# What is imported is compiled once, whatever the environment says: each process would do it again.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 code tests-compiled
	$(BIN)/pytest -n 3 --dist worksteal -m "not long" $(ARGS)

code: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Pytest's workers read what it compiles here, the tests and what they import, in place of compiling
# it all at once; mypy takes as long.
tests-compiled: $(READY)
	-@$(BIN)/pytest --collect-only -qq >/dev/null

test-long: $(SITE)
	$(BIN)/pytest -n 2 -m long $(ARGS)
	@$(MAKE) --no-print-directory test-mutants ARGS=

# Wrong lines of the program, each of which a test has to notice: tests/mutants.
test-mutants: $(READY)
	$(BIN)/python tests/mutants/run.py $(ARGS)

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

site: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: site
	$(BIN)/python docs/share.py
	$(BIN)/python -m build --outdir dist

bench: $(READY)
	$(BIN)/python bench/simulation.py $(ARGS)

size: $(RUN)
	$(BIN)/python bench/size.py $(ARGS)

bench-tui: $(READY)
	$(BIN)/python bench/tui.py $(ARGS)

$(RUN): pyproject.toml
	@echo 'Setting up .venv, once: about 360 MB, half a minute to two minutes.'
	@$(NEW)
	@$(INSTALL) -e ".[plot]"
	@$(COMPILE) .venv core ldptui scenarios >/dev/null 2>&1 || true
	@touch $@

# All at once on a fresh clone. Nothing is compiled here that the tests do not import.
$(READY): pyproject.toml
	@echo 'Setting up .venv with the tools of the tests, once: about 1.1 GB, one to three minutes.'
	@test -x $(BIN)/python || $(NEW)
	@$(INSTALL) -e '.[dev]'
	@touch $(RUN) $@

$(SITE): $(READY)
	@$(INSTALL) -e '.[docs,browser]'
	@touch $@

clean:
	rm -rf .venv ldptui/site share dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
