# `make chat` talks with examples/, `make test` checks everything. Both make .venv on first use; nothing else is needed.

PYTHON ?= python3
LIBRARY ?= .clew
DOCUMENTS ?= examples/documents
EXTRAS ?=
DATA ?= ../shared/data
LIBRARIES ?= .clew-training
BIN := .venv/bin
export HF_HUB_OFFLINE ?= 1
# Without compiled modules every process of the tests compiles the product again.
unexport PYTHONDONTWRITEBYTECODE

WORKERS ?= 2

.PHONY: chat ui test test-all test-models torture lint types tests bench train crossval audit check-system clean

chat: $(LIBRARY)/clew-library.json
	@$(BIN)/clew chat --library $(LIBRARY)

ui: $(LIBRARY)/clew-library.json
	@$(BIN)/clew ui --library $(LIBRARY)

# Types beside the tests: mypy would leave one core of two idle.
test: lint
	@$(MAKE) --no-print-directory -j 2 types tests

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready-dev
	$(BIN)/mypy

# One thread each: with as many processes as cores, more of them only wait for each other.
tests: .venv/ready-dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) --dist worksteal

# What `make test` leaves out: whole categories, and all that is fuzzed with ten times its examples.
test-all: .venv/ready-dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) --dist worksteal -m 'soak or hypothesis' --hypothesis-profile many \
		--durations=25

# What a language model makes of 40 turns, and of 160 where ../shared/talk is: its row of docs/models.md. The model is
# CLEW_TEST_OLLAMA=MODEL or CLEW_TEST_OPENAI=URL,MODEL; else the small one of tests/llama. ARGS: --by-kind, --first N.
test-models: .venv/ready-dev
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.models $(ARGS)

# What no accident may do, in full: make torture [PART=kill] [SEED=n] [SHARE=.1] [DOCUMENTS=DIR, for PART=orders].
torture: .venv/ready-dev
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.torture $(if $(PART),--part $(PART)) $(if $(SEED),--seed $(SEED)) \
		$(if $(SHARE),--share $(SHARE)) $(if $(filter-out file,$(origin DOCUMENTS)),--documents '$(DOCUMENTS)')

# What docs/figures.md says is by: make bench WHAT=cluster ARGS='turns DATASET LIBRARY es://HOST:PORT/NAME'
bench: .venv/ready-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.$(or $(WHAT),cluster) $(ARGS)

# All that is learned, from DATA, each fit over what the ones before it have written; and what the agent is worth out of
# fold, everything below it refitted.
train: .venv/ready-dev
	$(BIN)/python -m tests.training.roots $(DATA)
	$(BIN)/python -m tests.training.walk $(DATA) $(LIBRARIES)
	$(BIN)/python -m tests.training.tagger $(DATA)
	$(BIN)/python -m tests.training.rewriter $(DATA) $(LIBRARIES)
	$(BIN)/python -m tests.training.search $(DATA) $(LIBRARIES)
	$(BIN)/python -m tests.training.talk $(DATA)
	$(BIN)/python -m tests.training.table_reader $(DATA)
	$(BIN)/python -m tests.training.differences $(DATA)
	$(BIN)/python -m tests.training.negation $(DATA)
	$(BIN)/python -m tests.training.reader $(DATA)
	$(BIN)/python -m tests.training.pairs $(DATA)
	$(BIN)/python -m tests.training.verification $(DATA)
	$(BIN)/python -m tests.training.judge $(DATA) $(LIBRARIES)
	$(BIN)/python -m tests.training.spans $(DATA)
	$(BIN)/python -m tests.training.e5_mean $(DATA)
	$(BIN)/python -m tests.training.foreign_reader $(DATA)
	$(BIN)/python -m tests.training.foreign_judge $(DATA)

crossval: .venv/ready-dev
	$(BIN)/python -m tests.training.crossval $(DATA) $(LIBRARIES)

# Made once: a newer .venv does not make a library old, and `clew index` brings one up to date.
$(LIBRARY)/clew-library.json: | .venv/ready
	@$(BIN)/clew index $(DOCUMENTS) --library $(LIBRARY)

# What a conversation needs; DOCUMENTS of other kinds may need more: make EXTRAS=wikipedia ... (see pyproject.toml).
# torch first, and by its exact version: what the others ask for is then there, whichever build was chosen.
.venv/ready: pyproject.toml constraints.txt | check-system
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip setuptools -c constraints.txt
	$(BIN)/pip install --quiet torch -c constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt --no-build-isolation -e '.$(if $(EXTRAS),[$(EXTRAS)])'
	mkdir -p .venv/src && ln -sfn ../.. .venv/src/clew  # where mypy and editors find the package by its name
	@touch $@

# And what checks, trains and evaluates.
.venv/ready-dev: .venv/ready
	$(BIN)/pip install --quiet -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

# Licences that go with ours (Apache-2.0). igraph is under the GPL: it is not shipped, and the person's own
# to install.
LICENCES := MIT;BSD;Apache;Python Software;PSF;ISC;Mozilla;MPL;Zlib;CC0;Unlicense;HPND;Historical;CNRI;BSL-1;public domain

# Asks PyPI. In an environment of its own, as what it needs is none of the product's.
audit: .venv/ready-dev
	$(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install --quiet pip-audit pip-licenses
	.venv/audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip --progress-spinner off
	.venv/audit/bin/pip-licenses --python $(BIN)/python --from=mixed --partial-match --allow-only '$(LICENCES)' \
		--ignore-packages clew igraph

check-system:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing: apt-get install python3" >&2; exit 3; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
		{ echo "make: Python 3.11, 3.12 or 3.13 is needed: make PYTHON=python3.11 ..." >&2; exit 3; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "make: the venv module is missing: apt-get install python3-venv" >&2; exit 3; }

clean:
	@if [ -f '$(LIBRARY)/clew-library.json' ]; then rm -rf -- '$(LIBRARY)'; fi
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
