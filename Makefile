# The five verbs of the project, and `make release`, which makes dist/. PYTHON and the environment .venv are made by `make setup`.
.PHONY: setup test lint bench docs release
PYTHON ?= python3

setup:
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet -e '.[test]'

test:
	.venv/bin/python -m pytest -n 2

lint:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy kafkasniff
	.venv/bin/lint-imports
	.venv/bin/typos
	.venv/bin/python tools/make_docs.py --check

bench:
	.venv/bin/python -m benchmarks.ratios --folder build/workloads

docs:
	.venv/bin/python tools/make_docs.py
	.venv/bin/pip install --quiet -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet

release:
	tools/make_release.sh $(PYTHON)
