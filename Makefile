# `make demo` and `make test` are for newcomers; every target sets up what it needs first.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

MUTATIONS ?= 2000
RUNS      ?= 10
SEED      ?= 1
CASES     ?= 84
KILLS     ?= 100

# Tests start the tool hundreds of times, so its bytecode must be cached.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-long test-llvm test-arm64 test-ppc64le test-cluster test-fast flaky nightly test-nightly sanitize measured suite check format page bench fuzz kills mutants clean

help:
	@echo "make demo       build samples/rays with probes, run it on 4 ranks, print the verdict (SCHEDULE=static or dynamic)"
	@echo "make test       run the tests"
	@echo "make test-long  run the longest tests: samples, whole projects, the wheel, every C++ standard, fuzzing, killed runs"
	@echo "make nightly    run the tests that CI leaves out: full forms of shortened tests, and tests that are run by hand"
	@echo "make test-llvm  by hand: compile every Fortran construct with LLVM's compiler as well"
	@echo "make test-arm64 by hand: test the probe library for arm64 under an emulator; make test-ppc64le for POWER"
	@echo "make test-cluster  as root: test a real Slurm of four nodes: launchers, jobs, nodes that share no disk or fail"
	@echo "make test-fast  run, in a minute, the tests that neither compile nor launch: analyses, experiments, reports, documents"
	@echo "make flaky      run all tests RUNS times on a busy machine, and list those that do not always pass"
	@echo "make check      lint, type-check, check the import order"
	@echo "make format     format the sources"
	@echo "make page       bundle the scripts of the HTML page"
	@echo "make bench      run the benchmarks"
	@echo "make measured   by hand, on a quiet machine: check verdicts of real runs, ten runs each"
	@echo "make suite      by hand: check verdicts on CASES generated programs, with planted faults and without"
	@echo "make sanitize   test the probe library with the address, undefined-behaviour and thread sanitizers"
	@echo "make fuzz       test front ends, advice, readers and the algebra with random sources, plans, experiments and shards"
	@echo "make kills      kill runs at random moments, and check that their data are kept"
	@echo "make mutants    insert 30 small faults into a copy of the product, one at a time; tests must find each (ARGS=--control)"
	@echo "make clean      remove the virtual environment and all build products"
	@echo "Targets install what they need: distribution packages as root or with sudo, everything else in $(VENV)."

# Distribution packages come first, because they may include the Python for the virtual environment.
$(VENV)/.packages: tools/packages.sh
	@sh tools/packages.sh
	@mkdir -p $(VENV) && touch $@

$(VENV)/.ready: $(VENV)/.packages pyproject.toml
	@sh tools/venv.sh $(PYTHON) $(VENV)
	@touch $@

demo: $(VENV)/.ready
	@sh tools/demo.sh $(BIN) $(SCHEDULE)

# Without this step, each worker would compile all tests itself in a clean checkout.
$(VENV)/.compiled: $(VENV)/.ready
	-@$(BIN)/python -m pytest -qq --collect-only >/dev/null && touch $@

test: $(VENV)/.compiled
	@$(BIN)/python -m pytest -q -n auto --dist worksteal $(ARGS)

test-long: $(VENV)/.ready
	@$(BIN)/python -m pytest -q -m "long and not measured and not llvm and not cluster and not nightly" -n auto --dist worksteal $(ARGS)

test-llvm: $(VENV)/.ready
	@$(BIN)/python -m pytest -q -m llvm -n auto --dist worksteal tests/instrument $(ARGS)

# Tests the probe library with a program, both built for another architecture, which qemu emulates.
test-arm64: FOREIGN := aarch64
test-ppc64le: FOREIGN := powerpc64le
test-arm64 test-ppc64le: LIBC = libc6-dev-$(if $(filter aarch64,$(FOREIGN)),arm64,ppc64el)-cross
test-arm64 test-ppc64le: $(VENV)/.ready
	@sh tools/packages.sh gcc-$(FOREIGN)-linux-gnu $(LIBC) qemu-user-static
	@AUTOANALYZER_FOREIGN=$(FOREIGN) $(BIN)/python -m pytest -q -n auto --dist worksteal $(ARGS) tests/runtime/probe

# The tests run one at a time, on a real Slurm of four nodes, which needs root and Slurm's packages.
$(VENV)/.slurm: $(VENV)/.packages
	@sh tools/packages.sh slurmctld slurmd slurm-client munge
	@touch $@

test-cluster: $(VENV)/.ready $(VENV)/.slurm
	@$(BIN)/python -m pytest -q -m "cluster and not long" tests/cluster $(ARGS)

test-fast: $(VENV)/.ready
	@$(BIN)/python -m pytest -q -n $$(nproc) --dist worksteal $(addprefix tests/,analyze experiment runs view test_docs.py) \
		$(addprefix --ignore=tests/view/,page terminal_browser) $(ARGS)

flaky: $(VENV)/.ready
	@$(BIN)/python tools/measured.py --runs $(RUNS) --share 1 --busy 8 -m "not measured and not nightly" -n auto --dist worksteal $(ARGS)

# Each line contains a target, and what it tests that CI does not.
define BY_NIGHT
test-nightly	the full forms of shortened tests: more seeds, mutations, states and standards
test-llvm	every Fortran construct with LLVM's compiler
test-arm64	the probe library's tests, built for arm64, under an emulator
test-ppc64le	the same for POWER
test-cluster	the tests on the cluster that wait for minutes: time limits, unreachable nodes
measured	verdicts of real runs, which depend on times
sanitize	the probe library under three sanitizers
fuzz	thousands of mutations
kills	a hundred killed runs
mutants	thirty faults in the product, each of which a test must find
endef
export BY_NIGHT

nightly:
	@echo "$$BY_NIGHT"
	@echo "$$BY_NIGHT" | cut -f 1 | while read target; do \
		echo "== $$target"; \
		case $$target in test-cluster) $(MAKE) $$target ARGS="-m 'cluster and long'" ;; *) $(MAKE) $$target ;; esac || exit 1; \
	done

test-nightly: $(VENV)/.ready
	@STATES=200 $(BIN)/python -m pytest -q -m "nightly or (long and not measured and not llvm and not cluster)" -o timeout=3600 \
		-n auto --dist worksteal $(ARGS)

WRAPPERS := $(patsubst %,tests/runtime/test_%.py,mpi_bytes io_bytes error_handlers conformance)

# `make test` includes the first two sanitizers; here, all tests also run with the thread sanitizer.
# The wrappers are tested in the preloaded library, with one MPI.
sanitize: $(VENV)/.ready
	@for sanitizer in address,undefined thread; do \
		echo "== $$sanitizer"; \
		AUTOANALYZER_SANITIZER=$$sanitizer $(BIN)/python -m pytest -q tests/runtime/probe || exit 1; \
	done
	@echo "== address,undefined: wrappers"
	@AUTOANALYZER_CC="mpicc.openmpi -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
		ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
		$(BIN)/python -m pytest -q -k "not mpich" $(WRAPPERS)

# A busy machine can change the verdicts of real runs, so these tests are run by hand, and nine of ten runs must pass.
measured: $(VENV)/.ready
	@$(BIN)/python tools/measured.py --runs $(RUNS) -m measured $(ARGS)

# For example ARGS="--counters --load 8"; python -m tests.suite --help lists the options.
suite: $(VENV)/.ready
	@$(BIN)/python -m tests.suite --cases $(CASES) --seed $(SEED) $(ARGS)

check: $(VENV)/.ready
	@sh tools/check.sh $(BIN)
	@sh tools/page.sh --check

page: $(VENV)/.packages
	@sh tools/page.sh

format: $(VENV)/.ready
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix --quiet . ; \
	git ls-files '*.c' '*.h' | grep -v '^tests/' | xargs -r clang-format -i

bench: $(VENV)/.ready
	@for script in benchmarks/*/run.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

fuzz: $(VENV)/.ready
	@for language in fortran c++; do \
		$(BIN)/python tools/fuzz.py --language $$language --mutations $(MUTATIONS) --seed $(SEED) || exit 1; \
	done
	@for language in c c++ fortran; do \
		$(BIN)/python tools/fuzz_advice.py --language $$language --mutations $(MUTATIONS) --seed $(SEED) || exit 1; \
	done
	@$(BIN)/python tools/fuzz_plans.py --mutations $(MUTATIONS) --seed $(SEED)
	@$(BIN)/python tools/fuzz_experiments.py --mutations $(MUTATIONS) --seed $(SEED) $(if $(MINUTES),--minutes $(MINUTES))
	@$(BIN)/python tools/fuzz_bridges.py --mutations $(MUTATIONS) --seed $(SEED)
	@$(BIN)/python tools/fuzz_shards.py --mutations $(MUTATIONS) --seed $(SEED)
	@AUTOANALYZER_EXAMPLES=$(MUTATIONS) $(BIN)/python -m pytest -q -n auto -o timeout=0 tests/experiment/algebra/test_laws.py

kills: $(VENV)/.ready
	@$(BIN)/python tools/kill_runs.py --runs $(KILLS) --first $(SEED)

# Inserts the faults in tests/mutants.toml; by hand, takes half an hour. To try one:
# ARGS='--only "probe: throttling goes to and fro"'
mutants: $(VENV)/.ready
	@$(BIN)/python tools/mutants.py $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
