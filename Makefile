# Commands for development. Most of the code is in socialsite/local/ and in manage.py commands.
.DEFAULT_GOAL := help
.PHONY: help setup demo reset-demo backup restore test test-changed test-map test-all coverage clients load chaos soak check messages screenshots bench djongo-proof lock clean
PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## create .venv and install the development packages
	@$(PYTHON) socialsite/local/setup.py --dev

demo:  ## run the site with demo users on http://127.0.0.1:8000 (other port: PORT=8001)
	@$(PYTHON) socialsite/local/setup.py
	@$(BIN)/python -m socialsite.local.demo_server

reset-demo:  ## delete the demo's data after a confirmation
	@! [ -e .data/mongod/mongod.lock ] || flock -n .data/mongod/mongod.lock true || \
		{ echo 'The demo is running. Stop it first.'; exit 1; }
	@printf 'Delete .data with all users and posts of the demo? [y/N] '; \
	read answer && [ "$$answer" = y ] && rm -rf .data && echo 'Deleted.' || echo 'Nothing was deleted.'

backup:  ## copy the demo's data to .data/backups, also while it runs (other folder: TO=folder)
	@$(BIN)/python -m socialsite.local.backup backup $(TO)

restore:  ## replace the demo's data by a backup (FROM=folder; only check it: ARGS=--dry-run)
	@$(BIN)/python -m socialsite.local.backup restore $(ARGS) $(FROM)

PYTEST := $(BIN)/pytest -n auto --maxprocesses 4
test: setup  ## run the fast tests: four to eight minutes (selected tests: ARGS='tests/feed -k page')
	$(PYTEST) -m 'not slow' --timeout 60 -p no:playwright -p no:schemathesis $(ARGS)

test-changed: setup  ## run the fast tests that your change can affect (needs a map; more: docs/tests.md)
	@$(BIN)/python -m tests.affected_tests $(ARGS)

test-map: setup  ## record which fast test executes which line, for test-changed
	@$(BIN)/python -m tests.affected_tests --map

test-all: setup  ## run all tests, with browsers, brokers and random histories
	$(PYTEST) $(ARGS)

coverage: setup  ## run all tests and report the lines and branches that none of them reaches
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

clients: setup  ## run the suites of other clients (docs/tests.md; one of them: ARGS=masto)
	$(BIN)/python -m tests.client_suites $(ARGS)

load: setup  ## measure the site under load: 30 minutes (short trial: ARGS='--minutes 1 --users 500'; docs/tests.md)
	@$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['load'])" \
		| xargs $(BIN)/pip install --quiet --disable-pip-version-check
	$(BIN)/python -m tests.load $(ARGS)

chaos: setup  ## test deliveries while workers and databases are killed (100 times, or KILLS=20)
	KILLS=$(or $(KILLS),100) $(BIN)/pytest --timeout 0 -s tests/feed/test_failover.py

soak: setup  ## test the API by its schema, and many random histories (EXAMPLES=200 HISTORIES=20000)
	SCHEMA_EXAMPLES=$(or $(EXAMPLES),200) $(BIN)/pytest -n auto --timeout 0 tests/api/test_schema.py
	HISTORIES=$(or $(HISTORIES),20000) $(BIN)/pytest -n auto --timeout 0 tests/feed/test_histories.py tests/feed/test_mutations.py

# Dummy values: checking the code with production settings needs no secrets and no server.
check messages: export DJANGO_SETTINGS_MODULE = socialsite.settings
check messages: export SECRET_KEY = only-for-make-check-0123456789-abcdefghijklmnopqrstuvwxyz
check messages: export MONGODB_URI = mongodb://127.0.0.1:1/?replicaSet=none
check messages: export DEBUG = false
check messages: export HTTPS = true
check messages: export ALLOWED_HOSTS = example.org
check messages: export SITE_URL = https://example.org
check: setup  ## check style, types, import directions, migrations, translations, deployment, lock files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.with_mongodb $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/oxlint --deny-warnings socialsite/static/js socialsite/static_parts/js
	$(BIN)/python -m tests.check_templates
	$(BIN)/python -m tests.languages.messages --check
	$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python manage.py spectacular --urlconf socialsite.streaming_urls --validate --fail-on-warn --file /dev/null
	@# The lock files name no package host, and each contains the smaller ones.
	! grep -n '://' requirements.lock requirements-demo.lock requirements-dev.lock
	! grep -vxFf requirements-demo.lock requirements.lock
	! grep -vxFf requirements-dev.lock requirements-demo.lock
	$(BIN)/python -m tests.check_names

messages: setup  ## collect the texts of the site, and update and compile their translations
	@$(BIN)/python -m tests.languages.messages $(ARGS)

screenshots: setup  ## draw the pictures in the README anew from a demo (needs Chromium)
	@$(BIN)/python -m tests.screenshots

bench:  ## measure the cost of every design: 40 minutes (short trial: ARGS=--quick)
	@$(PYTHON) socialsite/local/setup.py
	@SECRET_KEY=only-for-make-bench $(BIN)/python -m tests.with_mongodb \
		$(BIN)/python -m tests.bench $(ARGS)

djongo-proof:  ## compare the ORM backend with djongo (downloads djongo)
	@$(PYTHON) socialsite/local/setup.py
	@$(PYTHON) docs/decisions/djongo_proof/run.py

COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --no-emit-index-url --no-annotate --no-header --quiet
lock:  ## update the lock files (needs uv)
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra embedded -o requirements-demo.lock
	$(COMPILE) --extra embedded --group dev -o requirements-dev.lock

clean:  ## delete .venv and the caches of tools, but not the demo's data
	rm -rf .venv .coverage .coverage_html .test-map .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
