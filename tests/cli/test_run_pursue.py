"""``run --trace`` with a policy: from a file, or from projection pursuit while the program runs."""

import json

import numpy as np
import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace import load_trace

# Half of the ranks write a file. The program runs until a policy excludes something, and then long enough to follow it.
# The first rank decides when to end; with their own clocks, one rank could leave while others wait for it.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_steered(void) {
    static char text[1 << 16];
    FILE *file = fopen("out/policy.json", "r");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strstr(text, "\\"leave\\"") && !strstr(text, "\\"leave\\": []");
}

static void write_part(FILE *file) {
    static char data[1 << 16];
    for (int i = 0; i < 20; i++)
        fwrite(data, 1, sizeof data, file);
    rewind(file);
}

int main(int argc, char **argv) {
    int rank, goes_on = 1;
    int steered = 0, after = 0; /* of the first rank */
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "part.%d", rank);
    FILE *file = fopen(name, "w");
    double begin = MPI_Wtime();
    for (int step = 0; goes_on; step++) {
        if (rank % 2)
            write_part(file);
        usleep(10000);
        if (rank == 0 && step % 10 == 0)
            steered = is_steered();
        after += steered;
        goes_on = after < 120 && MPI_Wtime() - begin < (argc > 1 ? 1 : 1000);
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    fclose(file);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
"""


def recorded(trace, metric):
    """Return for each line which of its samples have the metric, without the last sample, which contains the rest."""
    return [~np.isnan(line.values[:-1, trace.column(metric)]) for line in trace.lines()]


def test_what_ranks_differ_in_is_recorded_and_the_rest_left_out(tool):
    tool.build(PROGRAM)
    command = ("run", "--trace", "--pursue", "1", "-o", "out", "--", "mpirun", "-n", "4", "./app")
    done = tool("autoanalyzer", *command)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"done\n"
    assert "autoanalyzer: pursued " in done.stderr.decode()
    policy = json.loads((tool.folder / "out" / "policy.json").read_text())
    pursuit = json.loads((tool.folder / "out" / "pursuit.json").read_text())
    assert policy["schema"] == "autoanalyzer.policy/1"
    assert any(metric.startswith("io_") for period in pursuit["periods"] for metric in period["metrics"])
    trace = load_trace(tool.folder / "out" / "trace.npz")
    shares = {metric.name: np.concatenate(recorded(trace, metric.name)).mean() for metric in trace.metrics}
    assert min(shares.values()) < 1
    assert max(shares.values()) == 1
    experiment = load(tool.folder / "out" / "experiment.cube")
    written = experiment.exclusive("io_bytes_written").sum(axis=0)
    assert (written > 0).tolist() == [False, True, False, True]
    again = tool("autoanalyzer", "run", "-o", "out", "--", "mpirun", "-n", "2", "./app", "x")
    assert again.returncode == 0
    assert not (tool.folder / "out" / "policy.json").exists()


def test_a_file_says_what_is_recorded(tool):
    tool.build(PROGRAM.replace("after < 120", "step < 29"))
    tool.write("record.json", '{"record": ["wall_time", "io_bytes"]}')
    command = ("run", "--trace", "--policy", "record.json", "-o", "out", "--", "mpirun", "-n", "2", "./app")
    assert tool("autoanalyzer", *command).returncode == 0
    trace = load_trace(tool.folder / "out" / "trace.npz")
    assert all(each.all() for each in recorded(trace, "io_bytes"))
    assert not any(each[1:].any() for each in recorded(trace, "visits"))
    for command in (("timeline", "out"), ("view", "out", "-o", "o.html"), ("pursue", "out", "--window", "0.2")):
        done = tool("autoanalyzer", *command)
        assert done.returncode == 0, done.stderr
    done = tool("autoanalyzer", "correlate", "--target", "io_bytes", "out")
    assert done.returncode == 0, done.stderr
    assert b"visits" in done.stdout  # named as excluded


def test_where_nothing_runs_there_is_nothing_to_follow(tool):
    (tool.folder / "out").mkdir()
    done = tool("autoanalyzer", "pursue", "out", "--follow", "0.2")
    assert done.returncode == 2
    assert done.stderr == b"autoanalyzer: out: expected samples from a program running with --trace, but none arrived\n"
    done = tool("autoanalyzer", "pursue", "out", "--window", "2")
    assert done.returncode == 2
    assert done.stderr == b"autoanalyzer: out/trace.npz: expected a trace, found none; run the program with --trace\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--pursue",), "--pursue needs --trace"),
        (("--policy", "p.json"), "--policy needs --trace"),
        (("--trace", "--pursue", "--policy", "p.json"), "--pursue cannot be combined with --policy"),
        (("--trace", "--pursue", "0.5"), "expected a number of seconds of at least 1, found '0.5'"),
        (
            ("--trace", "--pursue", "mpirun"),
            "expected a number of seconds of at least 1, found 'mpirun'; put the command after --",
        ),
    ],
)
def test_options_that_cannot_be_are_refused(here, options, said):
    done = here("run", *options, "--", "mpirun", "-n", "2", "./app")
    assert done.returncode == 2
    assert said in done.stderr.decode()
