# make run and make test do all the set-up themselves; the rest is for working on the program.
.PHONY: run test check format bench bare screenshots terms torture verify lock setup clean help
.DEFAULT_GOAL := run
python := .venv/bin/python
ARGS ?=
# Three tests at once, since they often wait; each worker has home folders of its own. ARGS=-n0 runs them in sequence.
at_once := --numprocesses 3 --dist worksteal

run: ## open the window (ARGS="--vault DIR")
	@scripts/setup run
	@$(python) main.py gui $(ARGS)

test: ## run all tests
	@scripts/setup dev
	@PYTHONDONTWRITEBYTECODE= $(python) -m pytest $(at_once) $(ARGS)

check: ## format, lint, import contracts, types: what must hold before a commit
	@scripts/setup dev
	@$(python) -m ruff format --check .
	@$(python) -m ruff check .
	@.venv/bin/lint-imports --no-cache
	@$(python) -m mypy

format: ## write the code in its format
	@scripts/setup dev
	@$(python) -m ruff format .
	@$(python) -m ruff check --fix .

bench: ## measure search, rendering, running
	@scripts/setup dev
	@for script in tests/benchmarks/*.py; do echo "== $$script"; PYTHONPATH=. $(python) $$script || exit 1; done

torture: ## the long tests and their table (hours; ARGS="--part 0.1 --only kill")
	@scripts/setup dev
	@PYTHONPATH=. $(python) -m tests.torture $(ARGS)

bare: ## try make run and make test on bare systems: SYSTEM=bookworm (as root; makes a root folder with debootstrap)
	@scripts/bare $(ARGS)

screenshots: ## take the README's screenshots (wants a screen; xvfb-run gives one)
	@scripts/setup run
	@$(python) scripts/screenshots.py

terms: ## write the note of terms from the glossary
	@scripts/setup run
	@$(python) scripts/terms.py

verify: ## run every shipped snippet and compare with its recorded output
	@scripts/setup run
	@$(python) main.py verify $(ARGS)

setup: ## make .venv for working on the program
	@scripts/setup dev

lock: ## resolve the dependencies (needs uv)
	@scripts/lock --upgrade

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

clean: ## remove .venv and all caches
	rm -rf .venv .venv.new .setup.log .setup.lock .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* htmlcov build dist *.egg-info
