# Everything is done in the virtual environment .venv, which the first target
# that needs it makes. `make PYTHON=/path/to/python3.12 ...` chooses its Python.

VENV = .venv
PYTHON =
# Tests that run side by side. Of the slow ones, which start processes of their
# own and share what a file's first test has trained, these are whole files.
JOBS = 2
SOURCES = benchmarks bidaf_tf elmo_tf examples tasks tests tools

python = $(VENV)/bin/python
# What is downloaded must have a hash that the file names.
pip = $(python) -m pip --disable-pip-version-check --no-input install --quiet --quiet \
	--require-hashes
pytest = $(python) -m pytest
compile = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --custom-compile-command 'make lock'

.PHONY: help quickstart test lint format lock clean distclean

help:
	@echo 'make quickstart  train a small biLM, export it and look at its vectors'
	@echo 'make test        every check: lint, fast tests, slow tests'
	@echo 'make lint        style and format of the sources, and BUILD'
	@echo 'make format      bring the sources into that format, and update BUILD'
	@echo 'make lock        update the lock files after a requirement changed'
	@echo 'make clean       remove what the other targets made, but $(VENV)'
	@echo 'make distclean   remove $(VENV) too'

quickstart: $(VENV)/installed
	$(python) -m elmo_tf.quickstart --output_dir=quickstart

test: lint
	$(pytest) -n $(JOBS) -m 'not slow'
	$(pytest) -n $(JOBS) --dist loadfile -m slow

lint: $(VENV)/installed-dev
	$(python) -m ruff check $(SOURCES)
	$(python) -m ruff format --check $(SOURCES)
	$(python) -m tools.update_build --check

format: $(VENV)/installed-dev
	$(python) -m ruff check --fix $(SOURCES)
	$(python) -m ruff format $(SOURCES)
	$(python) -m tools.update_build

# For Python 3.11 and later on every platform, which pip cannot resolve. The
# first names all that the checks need; the others agree with it.
lock: $(VENV)/made
	$(python) -m pip --disable-pip-version-check install --quiet --quiet uv
	$(compile) --output-file requirements-dev-lock.txt requirements-dev.txt
	$(compile) --constraint requirements-dev-lock.txt \
		--output-file requirements-lock.txt requirements.txt
	$(compile) --constraint requirements-dev-lock.txt \
		--output-file requirements-embed-lock.txt requirements-embed.txt
	$(compile) --constraint requirements-dev-lock.txt \
		--output-file requirements-gpu-lock.txt requirements-gpu.txt
	$(compile) --constraint requirements-dev-lock.txt \
		--output-file requirements-ray-lock.txt requirements-ray.txt

# The empty files stand for steps that were carried out to their end.
$(VENV)/made: tools/make_venv.sh
	@tools/make_venv.sh $(VENV) '$(PYTHON)'
	@touch $@

$(VENV)/installed: requirements-lock.txt $(VENV)/made
	@echo 'Installing requirements.txt into $(VENV); this takes some minutes.'
	@$(pip) --requirement requirements-lock.txt
	@touch $@

$(VENV)/installed-dev: requirements-dev-lock.txt $(VENV)/installed
	@$(pip) --requirement requirements-dev-lock.txt
	@touch $@

clean:
	rm -rf quickstart build dist *.egg-info .pytest_cache .ruff_cache
	find $(SOURCES) -name __pycache__ -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
