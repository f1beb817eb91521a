# Two commands: `make demo` shows the platform, `make test` runs every check. The rest serves them.
# `make test SEED=3` runs the tests in the order of that seed; the seed of every run is printed.
PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
BIN := .venv/bin
WORKERS ?= 2
SEED ?=
# Or each of the many processes of the tests and of the demo compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check quick lint services docs bench chaos findings messages clean

demo: .venv/.installed
	@PORT=$(PORT) HOST=$(HOST) exec $(BIN)/python -m rehearsal

test: services lint
	SEED=$(SEED) $(BIN)/python -m tests.run $(ARGS)

# Types are checked beside the tests: mypy has one core, they have the other.
check:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint quick

quick: .venv/.installed-dev
	DEBUG=true $(BIN)/python -m pytest -q -m "not browser and not slow and not database"

lint: .venv/.installed-dev node_modules/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djlint --lint --quiet templates
	@if [ -x node_modules/.bin/biome ] || [ "$$CI" = true ]; then node_modules/.bin/biome lint static/js; fi
	$(BIN)/lint-imports
	$(BIN)/vulture
	DEBUG=true $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/pip check
	DEBUG=true $(BIN)/mypy .

# The documentation as a site, into var/docs.
docs: .venv/.installed-dev
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet --strict

# What the tests talk to: found, or installed where this machine lets us.
services:
	@bash tests/install-services.sh

bench: .venv/.installed-dev services
	$(BIN)/python -m benchmarks

# Every computed number of the docs: findings.md from the published data that DA_PUBLISHED names, metrics.md from the demo.
findings: .venv/.installed
	DEBUG=true $(BIN)/python -m benchmarks.findings

# What annotators read, in every language: new sentences come in untranslated, and a test names them.
messages: .venv/.installed
	DEBUG=true $(BIN)/python manage.py makemessages --all --no-location --no-obsolete --ignore=.venv --ignore=node_modules --ignore='tests/*'
	DEBUG=true $(BIN)/python manage.py compilemessages --ignore=.venv

# The table of docs/reliability.md, its faults ten times over, and nonsense that no run has tried.
CHAOS := tests/faults tests/security tests/analysis/runs/test_killed_worker.py \
	tests/analysis/pages/test_disjoint_disks.py tests/annotations/test_numbers_given_again.py \
	tests/access/test_access_matrix.py tests/access/test_database_away.py \
	tests/access/test_lists_of_every_kind.py tests/crowds/test_outbox.py \
	tests/crowds/test_crowd_machine.py tests/crowds/test_claiming.py tests/crowds/test_crowd_races.py \
	tests/crowds/test_hung_marketplace.py tests/crowds/test_restoring.py \
	tests/crowds/mturk tests/crowds/prolific tests/browser/test_keeping_work.py \
	tests/test_operations.py tests/test_releases.py tests/test_task_base.py

chaos: .venv/.installed-dev services node_modules/.installed
	CHAOS_TIMES=10 $(BIN)/python -m tests.run $(CHAOS)

clean:
	rm -rf .venv node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -m venv .venv 2>/dev/null || { rm -rf .venv; apt-get update -qq && apt-get install -y -qq python3-venv; $(PYTHON) -m venv .venv; }

.venv/.installed: .venv/bin/python requirements.txt requirements-web.txt constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

# The JavaScript linter, and the accessibility checker that browser tests load into pages.
# `npm ci` would insist on the linter's programs for every other system, which not every registry mirror has.
node_modules/.installed: package-lock.json
	@if command -v npm >/dev/null; then npm install --no-save --no-fund --no-audit --silent && touch $@; \
	else echo "npm is not installed: JavaScript is not checked, nor whether pages are accessible."; fi

.venv/.installed-dev: .venv/.installed requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@
