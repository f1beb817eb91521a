# Two commands: `make demo` shows the platform, `make test` runs every check. The rest serves them.
# `make test SEED=3` runs the tests in the order of that seed; the seed of every run is printed.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
WORKERS ?= 2
SEED ?=

.PHONY: demo test check lint services bench chaos findings clean

demo: .venv/.installed
	@DEBUG=true PORT=$(PORT) exec $(BIN)/python -m rehearsal

test: lint services
	SEED=$(SEED) $(BIN)/python -m tests.run $(ARGS)

check: lint
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not browser and not slow"

lint: .venv/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	DEBUG=true $(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/vulture
	DEBUG=true $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/pip check

# What the tests talk to: found, or installed where this machine lets us.
services:
	@bash tests/install-services.sh

bench: .venv/.installed-dev services
	$(BIN)/python -m benchmarks

# The tables of docs/findings.md, computed anew from the published data that DA_PUBLISHED names.
findings: .venv/.installed
	DEBUG=true $(BIN)/python -m benchmarks.findings

# The table of docs/reliability.md, its faults ten times over, and nonsense that no run has tried.
CHAOS := tests/faults tests/security tests/analysis/runs/test_killed_worker.py \
	tests/annotations/test_outbox.py tests/annotations/test_crowd_machine.py \
	tests/annotations/test_claiming.py tests/annotations/test_crowd_races.py \
	tests/hits/crowds_mturk tests/hits/crowds_prolific tests/browser/test_keeping_work.py

chaos: .venv/.installed-dev services
	CHAOS_TIMES=10 $(BIN)/python -m tests.run $(CHAOS)

clean:
	rm -rf .venv node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -m venv .venv 2>/dev/null || { rm -rf .venv; apt-get update -qq && apt-get install -y -qq python3-venv; $(PYTHON) -m venv .venv; }

.venv/.installed: .venv/bin/python requirements.txt requirements-web.txt constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.installed-dev: .venv/.installed requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
