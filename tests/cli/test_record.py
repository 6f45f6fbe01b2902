"""``record``: several runs in one folder, which count different events."""

import json

import pytest

from autoanalyzer.experiment.trace import load_trace

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double work(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

int main(int argc, char **argv) {
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 40; step++) {
        sum += work(100000);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("total %.3f\\n", total);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""


@pytest.fixture
def program(tool):
    tool.build(PROGRAM)
    return tool


def test_runs_are_recorded_and_searched(program):
    words = (
        "record",
        "--runs",
        "2",
        "--trace",
        "0.005",
        "-o",
        "runs",
        "--json",
        "found.json",
        "--",
        "mpirun",
        "-n",
        "1",
    )
    done = program("autoanalyzer", *words, "./app")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().count("total") == 2
    said = done.stderr.decode()
    assert "run 1 of 2: time lines" in said
    assert "run 2 of 2: time lines" in said
    assert "to show this report again, run: autoanalyzer timeline runs" in said
    document = json.loads((program.folder / "found.json").read_text())
    assert document["runs"] == ["runs/run-1", "runs/run-2"]
    for number in (1, 2):
        assert len(load_trace(program.folder / "runs" / f"run-{number}" / "trace.npz").line(0))
    program("autoanalyzer", "record", "--runs", "1", "--no-analyze", "-o", "runs", "--", "mpirun", "-n", "1", "./app")
    assert [each.parent.name for each in (program.folder / "runs").glob("*/trace.npz")] == ["run-1"]


def test_a_run_that_fails_ends_it_and_is_kept(program):
    done = program("autoanalyzer", "record", "-o", "runs", "--", "mpirun", "-n", "1", "./app", "3")
    assert done.returncode == 1
    assert "stopped after 0 of 3 runs; the recorded data are in runs" in done.stderr.decode()
    assert (program.folder / "runs" / "run-1" / "trace.npz").exists()
    assert not (program.folder / "runs" / "run-2").exists()


def test_a_wrong_option_leaves_what_was_recorded(program):
    words = ("record", "--runs", "1", "--no-analyze", "-o", "runs")
    assert program("autoanalyzer", *words, "--", "mpirun", "-n", "1", "./app").returncode == 0
    wrong = ("--counters", "simulated", "--cache", "L1=3")
    assert program("autoanalyzer", *words, *wrong, "--", "mpirun", "-n", "1", "./app").returncode == 2
    assert (program.folder / "runs" / "run-1" / "trace.npz").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--runs", "0", "--", "true"], "argument --runs: expected a number of at least 1, found '0'"),
        (
            ["--counters", "simulated", "--events", "instructions=PAPI_TOT_INS", "--", "true"],
            "--events needs --counters",
        ),
        (
            ["--trace-memory", "17G", "--", "true"],
            "argument --trace-memory: expected a size from 1M to 16G, found '17G'",
        ),
        ([], "expected a command, found none; for example: autoanalyzer record -- mpirun -n 4 ./app"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(here, words, said):
    done = here("record", *words)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert said in done.stderr.decode()
