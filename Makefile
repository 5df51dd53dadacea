# The five verbs of the project; `make coverage` and `make mutants`, which tell what tests miss; and `make release`, which makes
# dist/. `make setup` makes the environment .venv by PYTHON.
.PHONY: setup test lint bench docs coverage mutants release
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
	.venv/bin/proselint check --config .proselintrc.json README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md captures/README.md docs/*.md
	.venv/bin/python tools/make_docs.py --check

bench:
	.venv/bin/python -m benchmarks.ratios --folder build/workloads

docs:
	.venv/bin/python tools/make_docs.py
	.venv/bin/pip install --quiet -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet

# As plain Python: coverage sees no compiled code. With Python 3.14: older ones take hours. Tests of `live` fail here, as it
# may not write coverage's file either.
coverage:
	rm -rf build/coverage && mkdir -p build/coverage
	-KAFKASNIFF_PURE=1 .venv/bin/coverage run -m pytest -n 2
	.venv/bin/coverage combine --quiet
	.venv/bin/coverage report --skip-covered --sort=cover

mutants:
	.venv/bin/python tools/mutants.py

release:
	tools/make_release.sh $(PYTHON)
