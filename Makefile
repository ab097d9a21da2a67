# Two commands for everybody: `make run` opens ldptui, `make test` checks everything.
# Both set up .venv on first use and need only Python (3.11 or newer), pip and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SITE := .venv/.site

.PHONY: run test code tests-compiled test-long format site dist bench bench-tui clean

run: $(READY)
	@$(BIN)/ldptui $(ARGS)

test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 code tests-compiled
	$(BIN)/pytest -n 3 -m "not long" $(ARGS)

code: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Pytest's workers read what it compiles here, in place of compiling it three times at once.
tests-compiled: $(READY)
	-@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --collect-only -qq >/dev/null

test-long: $(SITE)
	$(BIN)/pytest -n 2 -m long $(ARGS)

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

bench-tui: $(READY)
	$(BIN)/python bench/tui.py $(ARGS)

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(BIN)/python -m compileall -q core ldptui scenarios
	@touch $@

$(SITE): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs,browser]'
	@touch $@

clean:
	rm -rf .venv ldptui/site share dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
