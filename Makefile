# Two commands on a fresh machine with only Python, pip and make: `make demo`, `make test`.
# On Linux a plain `torch` can bring gigabytes of CUDA with it: TORCH is installed first, so that
# sentence-transformers finds it there. See README, "A CPU build of torch".
PYTHON ?= python3
TORCH  ?= torch==2.13.0
VENV   ?= .venv
JOBS   ?= auto
BIN    := $(VENV)/bin

export HF_HUB_OFFLINE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What opens the graph runs again on the second engine.
ENGINE_TESTS := $(wildcard tests/graph tests/sync tests/stages tests/recall tests/doctor tests/laws tests/cases)

.PHONY: demo test check bench clean
.DELETE_ON_ERROR:

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/.installed-tests: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e ".[test]"
	touch $@

demo: $(VENV)/.installed  ## the main job on a sample vault, printing what it does
	PATH="$(CURDIR)/$(BIN):$$PATH" bash bench/demo.sh

check: $(VENV)/.installed-tests  ## style and types
	$(BIN)/ruff check .
	$(BIN)/mypy

test: check  ## every test on kuzu, then what opens the graph on ladybug
	$(BIN)/python -m pytest -q -n $(JOBS)
	BRAIN_ENGINE=ladybug $(BIN)/python -m pytest -q -n $(JOBS) $(ENGINE_TESTS)

bench: $(VENV)/.installed  ## ratios to the floor program at 1,000, 10,000 and 100,000 notes
	$(BIN)/python -m bench.scale --sizes 1000,10000,100000 --write bench/baseline.json

clean:  ## removes what the commands above made
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
