# What one does here. The recipes are short: the work is in socialsite/local/ and in manage.py.
.DEFAULT_GOAL := help
.PHONY: help setup demo reset-demo test test-all coverage chaos soak check bench djongo-proof lock clean
PYTHON ?= python3
BIN := .venv/bin
ARGS ?=

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## make .venv and install what development needs
	@$(PYTHON) socialsite/local/setup.py --dev

demo:  ## the whole site with demo people on http://127.0.0.1:8000 (another port: PORT=8001)
	@$(PYTHON) socialsite/local/setup.py
	@$(BIN)/python -m socialsite.local.demo_server

reset-demo:  ## delete the demo's data, after asking
	@! [ -e .data/mongod/mongod.lock ] || flock -n .data/mongod/mongod.lock true || \
		{ echo 'The demo is running: stop it first.'; exit 1; }
	@printf 'Delete .data with all people and posts of the demo? [y/N] '; \
	read answer && [ "$$answer" = y ] && rm -rf .data && echo 'Deleted.' || echo 'Kept.'

PYTEST := $(BIN)/pytest -n auto --maxprocesses 4
test: setup  ## the first tier, to run before a push: six minutes (some: ARGS='tests/feed -k page')
	$(PYTEST) -m 'not slow' --timeout 60 -p no:playwright -p no:schemathesis $(ARGS)

test-all: setup  ## both tiers, fifteen minutes: browsers, brokers, random histories, too
	$(PYTEST) $(ARGS)

coverage: setup  ## all tests, and the lines and branches that none of them reaches
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

chaos: setup  ## deliveries while workers and the database are killed (100 times; others: KILLS=20)
	KILLS=$(or $(KILLS),100) $(BIN)/pytest --timeout 0 -s tests/feed/test_failover.py

soak: setup  ## the API as its description allows, and random histories of small sites (HISTORIES=20000)
	SCHEMA_EXAMPLES=$(or $(EXAMPLES),200) $(BIN)/pytest -n auto --timeout 0 tests/api/test_schema.py
	HISTORIES=$(or $(HISTORIES),20000) $(BIN)/pytest -n auto --timeout 0 tests/feed/test_histories.py tests/feed/test_mutations.py

# Stand-ins: to check the code as in production takes neither secrets nor a server.
check: export SECRET_KEY = only-for-make-check-0123456789-abcdefghijklmnopqrstuvwxyz
check: export MONGODB_URI = mongodb://127.0.0.1:1/?replicaSet=none
check: export DEBUG = false
check: export HTTPS = true
check: export ALLOWED_HOSTS = example.org
check: export SITE_URL = https://example.org
check: setup  ## style, types, import directions, migrations, templates, deployment, lock files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m socialsite.local.with_mongodb $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null
	@# The lock files name no package host, and each contains the smaller ones.
	! grep -n '://' requirements.lock requirements-demo.lock requirements-dev.lock
	! grep -vxFf requirements-demo.lock requirements.lock
	! grep -vxFf requirements-dev.lock requirements-demo.lock
	$(BIN)/python -m socialsite.local.check_names

bench:  ## what every design costs, on a MongoDB of its own: 40 minutes (less: ARGS=--quick)
	@$(PYTHON) socialsite/local/setup.py
	@SECRET_KEY=only-for-make-bench $(BIN)/python -m socialsite.local.with_mongodb \
		$(BIN)/python -m tests.bench $(ARGS)

djongo-proof:  ## why the ORM backend is not djongo: both side by side (downloads djongo)
	@$(PYTHON) socialsite/local/setup.py
	@$(PYTHON) docs/decisions/djongo_proof/run.py

COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header --quiet
lock:  ## compile the lock files anew (needs uv)
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra embedded -o requirements-demo.lock
	$(COMPILE) --extra embedded --group dev -o requirements-dev.lock

clean:  ## remove .venv and what tools keep here; the demo's data stays
	rm -rf .venv .coverage .coverage_html .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
