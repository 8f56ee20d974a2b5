# make lab: everything a learner needs. make help: the rest.
PYTHON ?= python3
PY := .venv/bin/python
# Hundreds of processes of the tests import the course: it is compiled once.
unexport PYTHONDONTWRITEBYTECODE
# Three processes on two cores: some tests wait for what hangs, and for browsers.
TESTS := $(PY) -m pytest -n 3 --dist loadgroup --no-loadscope-reorder $(if $(FRESH),--fresh)

help:    ## show these lines
	@grep -hE '^[a-z]+: .*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 9

lab: .venv/.lab  ## open JupyterLab on the start page [PORT=8890] [BROWSER=no]
	@$(PY) -m minigrad lab $(if $(PORT),--port $(PORT)) $(if $(filter no,$(BROWSER)),--no-browser)

# What passed and has not changed is not run again, and named: tests/support/reuse.py.
test: lint  ## lint, built notebooks, every test; 20 minutes on two cores, less if little changed [FRESH=yes]
	$(PY) -m grading build --check
	$(TESTS)

nightly: lint  ## the same with more seeds, architectures and versions
	$(PY) -m grading build --check
	$(TESTS) --nightly --seeds 3

check: lint  ## lint and the fast tests; about a minute on two cores [FRESH=yes]
	$(TESTS) -n 2 -m "not slow and not browser"

lint: .venv/.test  ## ruff
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

sanitize: .venv/.test  ## the kernels under compute-sanitizer; needs an NVIDIA GPU
	$(PY) benchmarks/sanitizer.py

build: .venv/.lab  ## labs and lessons from their sources
	$(PY) -m grading build

site: .venv/.site  ## the web site, in build/site/html; a minute, or more after a change
	$(PY) site/build.py

clean:  ## remove the environment and caches; your work/ stays
	rm -rf .venv .venv.unfinished build dist *.egg-info cudasim/build cudasim/*.egg-info START.ipynb .pytest_cache .ruff_cache

# Complete, or not there: the set-up puts the stamp down last, and mends a half-made one.
.venv/.%: pyproject.toml cudasim/pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON): install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -I minigrad/cli/install.py $*

.PHONY: help lab test nightly check lint sanitize build site clean
