"""``run --counters``: a program is timed, then counted in a copy of its folder, where it may overwrite files."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from autoanalyzer.cli.progress import progress, stages
from autoanalyzer.experiment import Experiment, load

from ..conftest import Tool, for_several_programs, left_by_run
from ..runtime.conftest import assert_parts_add_up

COMMAND = Path(sys.executable).parent / "autoanalyzer"
CACHE = "L1=32K/8/64,L2=1M/8/64"
SIMULATED = "simulated:rtcount L1=32K/8/64 L2=1M/8/64"

# Each iteration of the loop has 4 instructions. The program's output shows which run wrote it. Counting takes a fifth
# of the time without MPI. In the counting run, the second argument selects what happens.
APP = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void work(long steps) {
    for (int i = 0; i < 3; i++) {
        long left = steps;
        __asm__ volatile("1: add $1, %%rax\\n nop\\n dec %0\\n jnz 1b" : "+r"(left) : : "rax", "cc");
    }
}

int main(int argc, char **argv) {
    int rank = 0;
    char *line = NULL;
    size_t room = 0;
    if (argc > 2 && getenv("VALGRIND_LIB"))
        switch (*argv[2]) {
            ACTIONS
        }
    if (WITH_MPI) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    work(STEPS * (rank + 1));
    if (rank == 0) {
        FILE *file = fopen("result", argc > 1 ? argv[1] : "w");
        if (!file)
            MPI_Abort(MPI_COMM_WORLD, 3);
        fprintf(file, "%s\\n", getenv("AUTOANALYZER_COUNTERS"));
        if (getline(&line, &room, stdin) > 0)
            work(atol(line));
        fclose(file);
    }
    if (WITH_MPI)
        MPI_Finalize();
    return argc > 3 ? atoi(argv[3]) : 0;
}
"""


STEPS = 100000
EXITS, NEEDS_AVX512, UNLINKS, PAUSES = "exvp"
ACTIONS = {
    EXITS: 'fputs("no such deck\\n", stderr); exit(4)',
    NEEDS_AVX512: '__asm__ volatile("vpxorq %%zmm1, %%zmm1, %%zmm1" : : : "xmm1"); break',
    UNLINKS: 'unlink(getenv("LOG")); break',
    PAUSES: 'puts("counting"); fflush(stdout); pause()',
}
CASES = " ".join(f"case '{letter}': {action};" for letter, action in ACTIONS.items())


@cache
def _built(folder: Path, steps: int, compiler: str, *, mpi: bool) -> Path:
    """Build the program, once per module."""
    tool = Tool(folder / f"{compiler}-{steps}-{mpi}")
    tool.folder.mkdir()
    tool.build(APP.replace("ACTIONS", CASES), f"-DSTEPS={steps}", f"-DWITH_MPI={mpi:d}", compiler=compiler)
    return tool.folder


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which programs are built."""
    return tmp_path_factory.mktemp("programs")


@pytest.fixture
def build(tool, programs: Path) -> Callable[..., None]:
    """Return a function that copies the program and its source into the test's folder."""

    def build(*, steps: int = STEPS, mpi: bool = True, compiler: str = "mpicc") -> None:
        shutil.copytree(_built(programs, steps, compiler, mpi=mpi), tool.folder, dirs_exist_ok=True)

    return build


def run(tool, *words: str, stdin: bytes = b"", env: dict[str, str] | None = None):
    return tool("autoanalyzer", "run", "-o", "out", "--counters", "simulated", *words, stdin=stdin, env=env)


def counted(tool) -> Experiment:
    return load(tool.folder / "out" / "experiment.cube")


def instructions(run: Experiment, name: str) -> list[float]:
    place = next(number for number in range(len(run.call_paths)) if run.path_name(number) == name)
    values: list[float] = run.exclusive("instructions")[place].tolist()
    return values


def clean(tool) -> bool:
    """Return whether a counting run has left no files of its own."""
    return left_by_run(tool.folder / "out") == {"experiment.cube"}


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """Return the folder of the working copies, which must be empty after the test."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert not list(folder.glob("autoanalyzer-*"))


@pytest.mark.by_day(mpi=["openmpi"])
def test_counts_join_times_under_both_mpis(tool, build, mpi):
    launcher, compiler = mpi
    build(compiler=compiler)
    programs = ("-n", "1", "./app", "wx", ":", "-n", "1", "./app", "wx")
    done = run(tool, "--cache", CACHE, "--", for_several_programs(launcher), *programs)
    assert done.returncode == 0, done.stderr.decode()
    assert (tool.folder / "result").read_text() == "none\n"
    found = counted(tool)
    sources = {metric.name: metric.source for metric in found.metrics if metric.source != "measured"}
    counts = ("instructions", "mpi_instructions", "l1_accesses", "l1_misses", "l2_accesses", "l2_misses")
    assert {name: sources.pop(name) for name in counts} == dict.fromkeys(counts, SIMULATED)
    events = {name: f"simulated:rtcount:{name}" for name in ("divisions", "denormals", "branches", "branch_misses")}
    assert {name: sources.pop(name) for name in events} == events
    assert sources.pop("ref_cycles").startswith("derived:(cpu_time-mpi_cpu_time-io_cpu_time-omp_cpu_time)*")
    assert sources == {}
    one, two = instructions(found, "work/loop@8")
    assert two - one == 3 * 4 * STEPS
    assert 0 < one - 3 * 4 * STEPS < 50
    assert found.notes.remarks == ()
    assert_parts_add_up(found)
    whole = tool("autoanalyzer", "analyze", "--all", "out").stdout
    assert b"counts simulated (L1 32K/8/64, L2 1M/8/64), cycles from CPU time" in whole
    assert clean(tool)


@pytest.mark.measured
def test_uneven_steps_are_told_by_their_instructions(tool, build):
    build(steps=25000000)
    done = run(tool, "--cache", CACHE, "--", "mpirun", "-n", "2", "./app", "wx")
    assert b"because instructions differ: " in done.stderr


def test_both_runs_read_the_same_input_and_find_what_is_beside_their_folder(tool, build):
    build(mpi=False)
    tool.write("case/steps", "7\n500\n")
    words = "run -o ../out --counters simulated --no-analyze -- ../app"
    done = tool("sh", "-c", f"cd case && (read line; exec {COMMAND} {words}) < steps")
    assert done.returncode == 0, done.stderr.decode()
    assert (tool.folder / "case" / "result").read_text() == "none\n"
    assert 0 < instructions(counted(tool), "work/loop@8")[0] - 3 * 4 * (STEPS + 500) < 100


def test_a_prepared_folder_is_where_the_program_counts(tool, build):
    build(mpi=False)
    (tool.folder / "prepared").mkdir()
    shutil.copy(tool.folder / "app", tool.folder / "prepared")
    done = run(tool, "--counting-dir", "prepared", "--", "./app")
    assert done.returncode == 0, done.stderr.decode()
    assert (tool.folder / "result").read_text() == "none\n"
    assert (tool.folder / "prepared" / "result").read_text() == "simulated\n"
    words = r"; it usually takes ((\d+) to )?(\d+) s: 3 s to start, plus 5 to 20 times the program's (\S+) s$"
    told = re.search(words, done.stderr.decode(), re.MULTILINE)
    assert told
    assert f"counting run in {tool.folder / 'prepared'}{told[0]}" in done.stderr.decode()
    for times, seconds in ((5, told[2] or told[3]), (20, told[3])):
        assert int(seconds) == pytest.approx(times * float(told[4]) + 3, rel=0.05, abs=0.5)


def test_what_a_user_asks_of_valgrind_elsewhere_is_not_asked_of_the_counting_run(tool, build):
    build(mpi=False)
    tool.write(".valgrindrc", "--tool=none\n--no-such-option\n")
    options = {"VALGRIND_OPTS": "--trace-children=no --leak-check=full", "HOME": str(tool.folder)}
    done = run(tool, "--", "./app", env=options)
    assert done.returncode == 0, done.stderr.decode()
    assert "instructions" in counted(tool)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (EXITS, "out/counting.log (no such deck)"),
        pytest.param(NEEDS_AVX512, "compile with -march=x86-64-v3", marks=pytest.mark.nightly),
    ],
)
def test_a_counting_run_that_fails_leaves_the_verdict_of_the_timing_run(tool, build, action: str, said: str):
    build()
    done = run(tool, "--", "mpirun", "-n", "2", "./app", "w", action)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1
    failure = [line for line in lines if line.startswith("autoanalyzer: the counting run ended")]
    assert len(failure) == 1
    assert said in failure[0]
    assert any(
        line.startswith("instructions and cache misses were not counted (the counting run failed)") for line in lines
    )
    assert "instructions" not in counted(tool)
    assert (tool.folder / "out" / "counting.log").is_file()
    assert not (tool.folder / "out" / "counting").exists()
    assert tool("autoanalyzer", "run", "-o", "out", "--", "mpirun", "-n", "1", "./app").returncode == 0
    assert clean(tool)


def test_a_counting_run_that_loses_its_files_leaves_the_verdict_of_the_timing_run(tool, build):
    build(mpi=False)
    log = tool.folder / "out" / "counting.log"
    done = run(tool, "--", "./app", "w", UNLINKS, env={"LOG": str(log)})
    said = done.stderr.decode()
    assert done.returncode == 1
    lost = f"the counting run cannot use {log}: No such file or directory, so there are no counts"
    assert f"autoanalyzer: {lost}\n" in said
    assert "Traceback" not in said
    assert "instructions and cache misses were not counted" in said
    assert "instructions" not in counted(tool)


def test_a_program_that_fails_when_timed_is_not_counted(tool, build):
    build()
    tool.write("result", "")
    done = run(tool, "--", "mpirun", "-n", "2", "./app", "wx")
    assert done.returncode == 1
    assert b"no counting run, because the data of rank" in done.stderr
    assert b"instructions and cache misses were not counted (the data of rank" in done.stderr
    assert b"counting run in" not in done.stderr


def test_a_program_that_ends_of_itself_is_counted_whatever_its_status(tool, build):
    build(mpi=False)
    done = run(tool, "--", "./app", "w", "-", "3")
    assert done.returncode == 1
    assert b"autoanalyzer: the program ended with exit status 3\n" in done.stderr
    assert instructions(counted(tool), "work/loop@8")[0] >= 3 * 4 * STEPS
    assert clean(tool)
    done = run(tool, "--", "./app", "w", EXITS, "3")
    assert done.returncode == 1
    assert b"the counting run ended with exit status 4 instead of 3, so there are no counts" in done.stderr
    assert b"instructions and cache misses were not counted (the counting run failed)" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.by_day(number=[signal.SIGTERM])
def test_a_signal_ends_the_counting_run_alone(tool, build, number: signal.Signals):
    build()
    words = ["run", "-o", "out", "--counters", "simulated", "--", "mpirun", "-n", "2", "./app", "w"]
    process = subprocess.Popen(
        [COMMAND, *words, PAUSES],
        cwd=tool.folder,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr
    log = tool.folder / "out" / "counting.log"
    while not (log.exists() and b"counting" in log.read_bytes()):
        assert process.poll() is None
        threading.Event().wait(0.05)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    said = process.stderr.read().decode()
    assert process.wait() == 1
    assert "the counting run ended with exit status" in said
    assert "instructions and cache misses were not counted" in said
    assert "Traceback" not in said
    assert "instructions" not in counted(tool)


PYTHON = "from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nassert sum(range(100000)) > 0\n"
CPP = """
#include <mpi.h>
#include <numeric>
#include <vector>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    std::vector<long> v(100000, 1);
    bool right = std::accumulate(v.begin(), v.end(), 0L) == 100000;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !right;
}
"""


@pytest.mark.long
@pytest.mark.parametrize("also", [[], pytest.param([sys.executable, "app.py"], marks=pytest.mark.nightly)])
@pytest.mark.nightly  # simulates the whole start of MPI
def test_programs_in_other_languages_are_counted_as_a_whole(tool, also: list[str]):
    tool.write("app.py", PYTHON)
    tool.write("app.cpp", CPP)
    assert tool("mpicxx", "-DOMPI_SKIP_MPICXX", "app.cpp", "-o", "app").returncode == 0
    more = [":", "-n", "1", *also] if also else []
    done = run(tool, "--", for_several_programs("mpirun"), "-n", "1", "./app", *more)
    assert done.returncode == 0, done.stderr.decode()
    assert (counted(tool).exclusive("instructions").sum(axis=0) > 100000).all()
    assert b"no probes, only MPI calls and file I/O" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cache", CACHE), "--cache needs --counters simulated, found auto"),
        (("--counting-dir", "."), "--counting-dir needs --counters simulated, found auto"),
        (("--counters", "simulated:tlb_misses"), "tlb_misses: this machine's TLB is unknown; describe it"),
        (("--counters", "simulated", "--cache", ""), "expected SIZE/WAYS/LINE of each cache"),
        (("--counters", "simulated", "--cache", "L1=33K/8/64"), "expected 2, 4, 8 … sets"),
        (("--counters", "simulated:division"), "no event 'division' can be simulated; did you mean divisions?"),
        (("--counters", "simulated:denormals,denormals"), "expected each event once, found denormals twice"),
        (("--counters", "simulated", "--counting-dir", "none"), "none: --counting-dir needs an existing folder"),
        (("--counters", "simulated", "--counting-dir", "app.c"), "app.c: --counting-dir needs an existing folder"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(tool, words: tuple[str, ...], message: str):
    tool.write("app.c", "")
    done = tool("autoanalyzer", "run", "-o", "out", *words, "--", "sh", "-c", "touch ran")
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stderr.decode().count("\n") == 1
    assert not (tool.folder / "ran").exists()


def test_a_folder_without_the_program_is_refused_before_anything_runs(tool):
    tool.write("app", "#!/bin/sh\ntouch ran\n").chmod(0o755)
    (tool.folder / "empty").mkdir()
    done = run(tool, "--counting-dir", "empty", "--", "./app")
    assert done.returncode == 2
    assert b"empty: --counting-dir needs a folder that contains ./app" in done.stderr
    assert not (tool.folder / "ran").exists()


def test_a_launcher_that_chooses_the_folder_is_refused(tool):
    tool.write("app", "#!/bin/sh\ntouch ran\n").chmod(0o755)
    for word in (("--wdir", "."), ("-wdir", ".")):
        done = run(tool, "--", "mpirun", *word, "-n", "1", "./app", "-wd")
        assert done.returncode == 2
        assert f"remove {word[0]} from the command" in done.stderr.decode()
    assert not (tool.folder / "ran").exists()


def _path_without_valgrind(folder: Path) -> str:
    """Return a ``PATH`` with all programs except Valgrind."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in Path(place).glob("*"):
            if program.name != "valgrind":
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def test_without_valgrind_only_simulated_counts_are_missing(tool, build):
    build()
    path = _path_without_valgrind(tool.folder / "bin")
    command = ("--", "mpirun", "-n", "2", "./app")
    done = run(tool, *command, env={"PATH": path})
    assert done.returncode == 2
    assert done.stderr.startswith(b"autoanalyzer: simulating counts needs valgrind, which is not on PATH; install")
    assert done.stderr.count(b"\n") == 1
    assert not (tool.folder / "result").exists()
    done = tool("autoanalyzer", "run", "-o", "out", *command, env={"PATH": path})
    assert done.returncode == 0, done.stderr
    assert (tool.folder / "result").exists()
    assert b"autoanalyzer: " not in done.stderr
    assert counted(tool).notes.remarks == ()


def test_without_a_counter_in_the_processor_papi_is_a_remark_and_auto_says_nothing(tool, build):
    build()
    none = {"AUTOANALYZER_EVENTS": "instructions=NO_SUCH_EVENT"}
    remark = "AUTOANALYZER_COUNTERS=papi: no event can be started (virtual machine? "
    for counters, said in (("papi", 1), ("auto", 0)):
        command = ("--counters", counters, "--", "mpirun", "-n", "2", "./app")
        done = tool("autoanalyzer", "run", "-o", "out", *command, env=none)
        assert done.returncode == 0
        assert done.stderr.decode().count(remark) == said
        assert done.stderr.decode().count("NO_SUCH_EVENT") == said
        assert "visits" in counted(tool)
        assert "instructions" not in counted(tool)


def test_a_command_that_hides_its_program_is_refused_before_anything_runs(tool):
    done = run(tool, "--", "mpirun.openmpi", "--app", "file")
    assert done.returncode == 2
    assert b"expected a program to run under Valgrind, found none" in done.stderr


def test_long_waits_are_told_now_and_then(capsys: pytest.CaptureFixture[str]):
    told = ""
    with progress("counting run", first=0.001):
        while "counting run: 0 s so far" not in told:
            threading.Event().wait(0.001)
            told += capsys.readouterr().err  # may be only part of a line
    assert capsys.readouterr().out == ""


def test_a_wait_without_a_stage_is_told_by_its_time_alone(capsys: pytest.CaptureFixture[str]):
    told = ""
    with stages(first=0.001):
        while told.count("\n") < 1:
            threading.Event().wait(0.001)
            told += capsys.readouterr().err
    assert told.startswith("autoanalyzer: 0 s so far\n")


def test_on_a_terminal_a_line_moves_and_is_gone_afterwards(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress("counting run"):
        pass
    said = capsys.readouterr().err
    assert "counting run" in said
    assert said.endswith("\x1b[1A\x1b[2K")


def test_on_a_terminal_a_stage_is_shown_once_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with stages(after=1e6) as told:
        told("reading a.c")
    assert capsys.readouterr() == ("", "")
    said = ""
    with stages(after=0.0) as told:
        told("reading a.c")
        while "reading a.c" not in said:
            threading.Event().wait(0.001)
            said += capsys.readouterr().err
