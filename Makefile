# make run and make test do all the set-up themselves; the rest is for working on the program.
.PHONY: run test check format bench screenshots terms verify lock setup clean
.DEFAULT_GOAL := run
python := .venv/bin/python
ARGS ?=
# Three tests at once, for they often wait, each worker with homes of its own; ARGS=-n0 runs them one after another.
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

screenshots: ## take the pictures of the README anew (wants a screen; xvfb-run gives one)
	@scripts/setup run
	@$(python) scripts/screenshots.py

terms: ## write the note of terms anew from the glossary
	@scripts/setup run
	@$(python) scripts/terms.py

verify: ## run every shipped snippet and compare with its recorded output
	@scripts/setup run
	@$(python) main.py verify $(ARGS)

setup: ## make .venv for working on the program
	@scripts/setup dev

lock: ## resolve the dependencies anew (needs uv)
	@scripts/lock --upgrade

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* htmlcov build dist *.egg-info
