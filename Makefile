# make film   sets up and makes a film of the sample comic
# make test   sets up and passes the tests
# make test-slow  the slower tests: servers, killed runs, libraries
# make check  sets up and checks style, types, layers and documentation
# make score  reads the pages with known truth, in ../shared and of our samples, and says what is right, what is not and why
# make balloons  fetches the optional balloon detector, and says under which terms it stands
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev

.PHONY: film test test-slow check hear score balloons contract-vllm wheel clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(READY_DEV): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(READY)

film: $(READY)
	$(BIN)/comic-narrator samples/lighthouse.cbz -o out/lighthouse.mp4

test: $(READY_DEV)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

# Slower, and not part of `make test`: servers brought up and down, runs that are killed, libraries, casts over volumes;
# and the properties once more, by other examples each time.
test-slow: $(READY_DEV)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "slow or hypothesis" --hypothesis-profile=search

check: $(READY_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/docs

# Slower, and not part of `make test`: films of the real pages in ../shared, listened to word for word.
hear: $(READY_DEV)
	$(BIN)/python -m benchmarks.hear

# Real pages in ../shared and our samples, read by the real command, one process a page, and scored against their truth;
# then the books among them: whether somebody has the same voice on other pages.
score: $(READY_DEV)
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.people

# Optional: a model that finds balloons, into the user's data folder; it states its terms. Nothing else fetches it.
balloons: $(READY)
	$(BIN)/python -m scripts.fetch_balloon_detector

# Slower as well: a real vLLM on the CPU, with a tiny model, and the contract tests against it (6 GB of packages, 5 GB of memory).
contract-vllm: $(READY_DEV)
	$(BIN)/python -m scripts.contract_vllm

# Slower as well: the wheel alone, in an empty environment and away from the source, makes the sample's film.
wheel:
	rm -rf build/wheel && mkdir -p build/wheel
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/wheel .
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/*.whl
	cp samples/lighthouse.pdf build/wheel/
	cd build/wheel && venv/bin/comic-narrator lighthouse.pdf -o film.mp4

clean:
	rm -rf $(VENV) out build dist
