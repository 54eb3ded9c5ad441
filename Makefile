# Thin over the CMake presets. `make demo` and `make test` start from nothing but git, make and root.
.DEFAULT_GOAL := help
.PHONY: help setup test-setup python-venv build demo test debug asan tsan sanitize study bench lint format screenshots docs from-nothing \
        ship-setup wheel wheel-test dist prove clean

JOBS := $(shell nproc)

help:
	@echo "make demo      set up, build, run the main job on an embedded example and show the result"
	@echo "make test      set up, build, run every test (readers are fuzzed under the sanitizers)"
	@echo "make sanitize  unit tests under the address, undefined-behaviour and thread sanitizers"
	@echo "make debug     every test with the assertions of the standard library and of Eigen"
	@echo "make build     set up and build; the program is build/macmi"
	@echo "make bench     speed, as ratios against named peers in the same run"
	@echo "make study     the longer accuracy and calibration measurements (docs/benchmarks)"
	@echo "make lint      clang-format and clang-tidy;  make format rewrites"
	@echo "make from-nothing  make demo and make test of the last commit on a bare Debian 12 (root; tells the minutes)"
	@echo "make wheel     Python wheels that need nothing but glibc, into build/dist;  make wheel-test runs the Python tests on them"
	@echo "make dist      an archive that unpacks anywhere and runs, into build/dist"
	@echo "make prove     wheel and archive on bare Debians without compilers (root; tells the seconds)"
	@echo "make screenshots  regenerate the README's pictures of the report (docs/images)"
	@echo "make docs      the site, into build/site: docs/options.md anew, tutorials run, every link checked"

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

# Every test with the assertions of the standard library and of Eigen.
debug: test-setup
	@tools/configure debug
	@cmake --build --preset debug -j $(JOBS) --target all macmi_tests
	@ctest --preset debug

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

# What a release is made of. Not part of `make test`: everything is compiled a second time, by a compiler that is fetched.
ship-setup: setup
	@tools/setup --test
	@tools/setup --ship

wheel: ship-setup
	@tools/ship/wheel

wheel-test: wheel
	@tools/ship/wheel_test

dist: ship-setup build
	@tools/ship/dist

prove:
	@tools/ship/prove wheel bookworm
	@tools/ship/prove wheel trixie
	@tools/ship/prove archive bookworm
	@tools/ship/prove archive bullseye

lint: setup
	@tools/setup --lint
	@tools/lint

format:
	@tools/setup --lint
	@tools/lint --fix

# docs/images: the report of the demo's data as the README shows it.
screenshots: build
	@tools/setup --browser
	@tools/screenshots

# What programs write in the documentation (options, outputs that README.md shows), then the site. Not part of `make test`:
# it fetches some 80 packages, and runs tutorials for minutes. `make test` runs all other blocks and checks links.
docs: python-venv build
	@build/macmi options --markdown > docs/options.md
	@PYTHONPATH=build/python build/python-venv/bin/python tests/docs/blocks_test.py . build/macmi --write
	@tools/site/make

clean:
	rm -rf build build-debug build-asan build-tsan build-lint build-portable build-inside
