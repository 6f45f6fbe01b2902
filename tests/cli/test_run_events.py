"""Counting only some events in a run: an option of ``run`` takes the events that the statistics suggest."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from autoanalyzer.cli.papi_events import papi_events
from autoanalyzer.experiment import load

from .conftest import refused

# The program has its own counter, which PAPI reads as an event, so the exact value is known on any machine.
WORK = """
#include <mpi.h>
#include <sde_lib.h>
static long long work;
static void region(int rank) {
    for (int i = 0; i < 3; i++)
        work += 100 * (rank + 1);
}
int main(int argc, char **argv) {
    int rank;
    papi_sde_register_counter(papi_sde_init("test"), "work", PAPI_SDE_RO, PAPI_SDE_long_long, &work);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    region(rank);
    MPI_Finalize();
    return 0;
}
"""


def test_a_run_counts_the_events_that_are_named_and_no_others(tool):
    if not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    (tool.folder / "app.c").write_text(WORK)
    done = tool("mpicc", "-o", "app", "app.c", "-lsde")
    assert done.returncode == 0, done.stderr
    words = ("--counters", "papi", "--events", "l1_misses=sde:::test::work", "--", "mpirun", "-n", "2", "./app")
    done = tool("autoanalyzer", "run", "-o", "out", *words)
    assert done.returncode == 0, done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert found.metric("l1_misses").source == "measured:papi:sde:::test::work"
    assert found.exclusive("l1_misses").sum(axis=0).tolist() == [300, 600]
    assert {"instructions", "cycles", "l1_accesses", "l2_misses"}.isdisjoint(each.name for each in found.metrics)


def test_an_event_of_the_program_s_own_is_a_metric_by_its_name(tool):
    if not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    (tool.folder / "app.c").write_text(WORK)
    done = tool("mpicc", "-o", "app", "app.c", "-lsde")
    assert done.returncode == 0, done.stderr
    words = ("--counters", "papi:sde:::test::work", "--no-analyze", "--", "mpirun", "-n", "2", "./app")
    done = tool("autoanalyzer", "run", "-o", "out", *words)
    assert done.returncode == 0, done.stderr
    found = load(tool.folder / "out" / "experiment.cube")
    assert found.metric("sde:::test::work").source == "measured:papi:sde:::test::work"
    assert found.exclusive("sde:::test::work").sum(axis=0).tolist() == [300, 600]
    assert "instructions" not in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--events", "instruction=PAPI_TOT_INS"],
            "no metric 'instruction' can be counted; did you mean instructions?",
        ),
        (["--events", "instructions"], "expected METRIC=EVENT, such as instructions=PAPI_TOT_INS"),
        (["--events", "instructions="], "found 'instructions='"),
        (["--events", "cycles=A,cycles=B"], "expected one event for cycles, found two"),
        (["--events", ""], "found ''"),
        (["--events", "cycles=A", "--counters", "simulated"], "--events needs --counters papi, found simulated"),
        (["--events", "cycles=A", "--counters", "none"], "--events needs --counters papi, found none"),
    ],
)
def test_events_that_cannot_be_are_refused_before_anything_runs(words, said, here):
    assert said in refused(here("run", *words, "--", "mpirun", "-n", "2", "./none"))


@pytest.mark.parametrize(("length", "taken"), [(81, True), (82, False)])
def test_an_event_is_as_long_as_the_probe_library_takes_it(length, taken):
    words = f"cycles={'E' * length}"
    if taken:
        assert papi_events(words) == words
    else:
        with pytest.raises(argparse.ArgumentTypeError, match="an event of at most 81 characters"):
            papi_events(words)
