"""``run --repeat``: several runs, their mean, and how many of them have a finding."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import load

from ..conftest import BIN, Tool

# The second rank works four times as long. Each run appends a byte to ``ran``. If ``ran`` then has as many bytes before
# it as the second argument says, the run does what the first argument says.
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double spin(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

int main(int argc, char **argv) {
    int rank, given;
    long before = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *ran = fopen("ran", "a");
        fputc('.', ran);
        before = ftell(ran) - 1;
        fclose(ran);
        if (scanf("%d", &given) == 1)
            printf("given %d\\n", given);
    }
    double total, sum = spin(rank ? 24000000 : 6000000);
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %.6f\\n", total);
    int now = argc > 2 && before == atoi(argv[2]);
    if (now && !strcmp(argv[1], "wait")) {
        fclose(fopen("waits", "w"));
        pause();
    }
    MPI_Finalize();
    return now ? 3 : 0;
}
"""

# There is no MPI, which takes long to count.
COUNTED = """
#include <stdio.h>
static void work(long steps) {
    for (int i = 0; i < 3; i++) {
        long left = steps;
        __asm__ volatile("1: add $1, %%rax\\n dec %0\\n jnz 1b" : "+r"(left) : : "rax", "cc");
    }
}
int main(void) {
    work(100000);
    puts("done");
    return 0;
}
"""

# The second run waits for an interrupt, but ends successfully.
ENDS_WELL = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t ends;
static void note(int number) { ends = number; }
static void work(long steps) {
    for (int i = 0; i < 3; i++) {
        long left = steps;
        __asm__ volatile("1: dec %0\\n jnz 1b" : "+r"(left) : : "cc");
    }
}
int main(void) {
    work(1000000);
    signal(SIGINT, note);
    if (access("ran", F_OK) == 0) {
        fclose(fopen("waits", "w"));
        while (!ends)
            usleep(10000);
    }
    fclose(fopen("ran", "w"));
    return 0;
}
"""


def repeat(number: int, *words: str) -> list[str]:
    return ["autoanalyzer", "run", "--repeat", str(number), "-o", "out", *words, "--", "mpirun", "-n", "2", "./app"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the program of two ranks and its source."""
    tool = Tool(tmp_path_factory.mktemp("built"))
    tool.build(PROGRAM)
    return tool.folder


@pytest.fixture
def program(tool, built: Path) -> None:
    """Copy the program into the tool's folder."""
    shutil.copytree(built, tool.folder, dirs_exist_ok=True)


def runs_in(tool) -> list[str]:
    return sorted(each.parent.name for each in (tool.folder / "out").glob("run-*/experiment.cube"))


@pytest.mark.usefixtures("program")
def test_the_verdict_is_that_of_the_mean_and_findings_are_those_of_each_run(tool):
    tool.write("in", "7\n")
    tool.write("out/run-4/experiment.cube", "of an earlier run")
    done = tool("sh", "-c", f"{' '.join(repeat(3, '--json', 'found.json'))} < in")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    lines = done.stdout.decode().splitlines()
    assert lines[:2] * 3 == lines
    assert lines[0] == "given 7"
    assert [line for line in said.splitlines() if line.startswith("autoanalyzer: run ")] == [
        f"autoanalyzer: run {number} of 3" for number in (1, 2, 3)
    ]

    assert runs_in(tool) == ["run-1", "run-2", "run-3"]
    mean = load(tool.folder / "out")
    runs = [load(tool.folder / "out" / each) for each in runs_in(tool)]
    assert (mean.notes.program, mean.notes.command, mean.notes.runs) == ("app", ("mpirun", "-n", "2", "./app"), 3)
    for metric in ("visits", "wall_time"):
        assert np.allclose(mean.exclusive(metric), np.mean([each.exclusive(metric) for each in runs], axis=0))
    assert mean.notes.run_delay.keys() == runs[0].notes.run_delay.keys()
    assert mean.notes.processor_use.keys() == runs[0].notes.processor_use.keys() == {"elapsed", "busy", "own"}

    found = json.loads((tool.folder / "found.json").read_text())
    assert found["runs"] == 3
    (culprit,) = found["dissimilarity"]["cccr"]
    assert (culprit["path"], culprit["in_runs"]) == ("spin/loop@10", 3)
    assert culprit["interval"]["low"] < culprit["interval"]["mean"] < culprit["interval"]["high"]
    assert all(0 <= each["in_runs"] <= 3 for each in found["disparity"]["cccr"])
    assert found["dissimilarity"]["in_runs"] is None  # only few regions contribute to it
    assert "in 3 of 3 runs" in " ".join(said.split())  # lines may break anywhere
    assert "mean of 3 runs" in said

    assert tool.findings() == found
    shutil.rmtree(tool.folder / "out" / "run-2")
    (culprit,) = tool.findings()["dissimilarity"]["cccr"]
    assert (culprit["in_runs"], culprit["interval"]) == (None, None)


@pytest.mark.parametrize("before", [1, 2])
@pytest.mark.usefixtures("program")
@pytest.mark.by_day(before=[2])
def test_a_run_that_fails_is_the_last_and_those_before_it_count(tool, before: int):
    done = tool(*repeat(4), "fail", str(before))
    said = done.stderr.decode()
    assert done.returncode == 1
    assert "the program ended with exit status 3" in said
    assert f"stopped after {before} of 4 runs; the recorded data are in out" in said
    assert runs_in(tool) == [f"run-{number + 1}" for number in range(before + 1)]
    assert ("mean of 2 runs" in said) == (before == 2)
    assert (tool.folder / "out" / "experiment.cube").exists() == (before == 2)
    again = tool("autoanalyzer", "analyze", "out")
    assert again.returncode == (0 if before == 2 else 2)
    assert before == 2 or b"; to show one of several runs, run: autoanalyzer analyze out/run-1" in again.stderr


def interrupted(tool, words: list[str]) -> tuple[int, str]:
    """Run a command until the program waits, press Ctrl-C; return exit status and error output."""
    process = subprocess.Popen(
        ["env", "--default-signal=INT", f"PATH={BIN}:{os.environ['PATH']}", *words],
        cwd=tool.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr
    while not (tool.folder / "waits").exists():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    said = process.stderr.read().decode()
    return process.wait(), said


@pytest.mark.usefixtures("program")
def test_an_interrupt_ends_all_runs_and_those_before_it_count(tool):
    status, said = interrupted(tool, [*repeat(4), "wait", "2"])
    assert status == 1, said
    assert "stopped after 2 of 4 runs" in said
    assert "mean of 2 runs" in said
    assert "Traceback" not in said
    assert load(tool.folder / "out").notes.runs == 2


def test_a_program_that_ends_well_when_interrupted_is_not_started_again(tool):
    tool.build(ENDS_WELL)
    status, said = interrupted(tool, ["autoanalyzer", "run", "--repeat", "4", "-o", "out", "--", "./app"])
    assert status == 0, said
    assert "stopped after 2 of 4 runs" in said
    assert runs_in(tool) == ["run-1", "run-2"]
    assert load(tool.folder / "out").notes.runs == 2


def test_the_counting_run_is_made_once_and_is_part_of_each(tool):
    tool.build(COUNTED)
    counted = ["--counters", "simulated", "--cache", "L1=32K/8/64,L2=1M/8/64"]
    done = tool("autoanalyzer", "run", "--repeat", "2", "-o", "out", *counted, "--", "./app")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert done.stdout.decode() == "done\n" * 2
    assert said.count("counting run in") == 1
    mean, *runs = (load(tool.folder / "out" / each) for each in ("", "run-1", "run-2"))
    for each in runs:
        assert np.array_equal(each.exclusive("instructions"), mean.exclusive("instructions"))
    assert mean.exclusive("instructions").sum() > 3 * 3 * 100000


def test_how_often_is_a_number(here):
    done = here("run", "--repeat", "0", "--", "true")
    assert done.returncode == 2
    assert "argument --repeat: expected a number of at least 1, found '0'" in done.stderr.decode()


def test_an_interrupted_series_of_scale_keeps_the_runs_before_and_nothing_of_the_last(tool):
    tool.build(ENDS_WELL)
    words = ["autoanalyzer", "scale", "-o", "study", "--ranks", "1,2", "--counters", "none", "--", "./app", "{ranks}"]
    status, said = interrupted(tool, words)
    assert status == 130, said
    assert "run 2 of 2: 2 ranks" in said
    assert "Traceback" not in said
    assert [each.name for each in (tool.folder / "study").iterdir()] == ["ranks-1"]
