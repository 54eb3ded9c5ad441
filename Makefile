# Thin over the CMake presets. `make demo` and `make test` start from nothing but git, make and root.
.DEFAULT_GOAL := help
.PHONY: help setup test-setup python-venv build demo test asan tsan sanitize study bench lint format screenshots docs from-nothing clean

JOBS := $(shell nproc)

help:
	@echo "make demo      set up, build, run the main job on an embedded example and show the result"
	@echo "make test      set up, build, run every test (readers are fuzzed under the sanitizers)"
	@echo "make sanitize  unit tests under the address, undefined-behaviour and thread sanitizers"
	@echo "make build     set up and build; the program is build/macmi"
	@echo "make bench     speed, as ratios against named peers in the same run"
	@echo "make study     the longer accuracy and calibration measurements (docs/benchmarks)"
	@echo "make lint      clang-format and clang-tidy;  make format rewrites"
	@echo "make from-nothing  make demo and make test of the last commit on a bare Debian 12 (root; tells the minutes)"
	@echo "make screenshots  regenerate the README's pictures of the report (docs/images)"
	@echo "make docs      regenerate docs/options.md from the option declarations"

setup:
	@tools/setup

build: setup
	@tools/configure release
	@cmake --build --preset release -j $(JOBS)

demo: build
	@tools/demo

test: test-setup python-venv build
	@cmake --build --preset release -j $(JOBS) --target macmi_tests macmi_fuzz
	@ctest --preset release

test-setup: setup
	@tools/setup --test
	@tools/setup --browser || echo "Chromium cannot be installed here: the tests that open the report page will be skipped"

# Makes `build` build the Python package, too. Where it cannot be made, the Python tests say that they are skipped.
python-venv:
	@tools/python-venv || true

# The unit tests under the address and undefined-behaviour sanitizers, and under the thread sanitizer. Not part of
# `make test`: building everything a second time took longer than all the rest of it.
asan tsan: setup
	@tools/configure $@
	@cmake --build --preset $@ -j $(JOBS) --target macmi_tests
	@ctest --preset $@

sanitize: asan tsan

study: build
	@cmake --build --preset release -j $(JOBS) --target macmi_studies
	@tools/study

bench: build
	@cmake --build --preset release -j $(JOBS) --target macmi_benches
	@tools/bench

# make demo and make test of the last commit on a Debian 12 with nothing installed, in a directory; tells the minutes.
from-nothing:
	@tools/from_nothing demo
	@tools/from_nothing test

lint: setup
	@tools/setup --lint
	@tools/configure release
	@tools/lint

format:
	@tools/setup --lint
	@tools/lint --fix

# docs/images: the report of the demo's data as the README shows it.
screenshots: build
	@tools/setup --browser
	@tools/screenshots

docs: build
	@build/macmi options --markdown > docs/options.md

clean:
	rm -rf build build-debug build-asan build-tsan
