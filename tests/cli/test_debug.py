"""Two rounds on a small program: what is rebuilt, what remains untouched, and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from autoanalyzer.experiment import Region, load

from ..conftest import BIN, Done, Tool, left_by_run
from .conftest import refused, succeed

# An iteration of the outer loop takes some 100 us, so nothing is throttled even if a probe costs a microsecond.
SOURCE = """#include <stdio.h>
#include "config.h"
static double spin(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 1; j < 100000; j++)
            sum += 1.0 / (i + j);
    return sum;
}
int main(void) {
    char line[80] = "";
    if (!fgets(line, sizeof line, stdin)) line[0] = 0;
    printf("%s%s", line, spin(SIZE) > 0 ? "" : "?");
    return 0;
}
"""
MAKEFILE = """CC = mpicc
include config.mk
app: app.o
	$(CC) -o $@ app.o
app.o: app.c config.h
	$(CC) -O1 -c app.c
config.h:
	echo '#define SIZE $(SIZE)' > $@
config.mk:
	echo 'SIZE = 10' > $@
clean:
	rm -f app *.o
"""


@pytest.fixture
def project(tool: Tool) -> Tool:
    """Write a program that takes long enough for a verdict; make could regenerate the file with its size."""
    tool.write("app.c", SOURCE)
    tool.write("Makefile", MAKEFILE)
    tool.write("config.mk", "SIZE = 200\n")
    tool.write("run.sh", "#!/bin/sh\nexec ./app\n").chmod(0o755)
    return tool


def debug(project: Tool, *words: str, build: str = "make", program: str = "./app") -> Done:
    return project("autoanalyzer", "debug", "--build", build, *words, "--", program)


def test_both_rounds_build_all_anew_and_read_what_was_to_be_read(project: Tool) -> None:
    project.write("in.txt", "header\nfirst\nsecond\n")
    command = "read line; autoanalyzer debug --build make --json found.json -- ./run.sh"
    done = succeed(project("bash", "-c", f"({command}) < in.txt", env={"AUTOANALYZER_PLAN": "mine.toml"}))
    assert done.stdout == b"first\nfirst\n"
    assert b"AUTOANALYZER_PLAN=mine.toml is ignored" in done.stderr
    assert (project.folder / "config.mk").read_text() == "SIZE = 200\n"
    heavy = json.loads((project.folder / "found.json").read_text())["disparity"]["cccr"]
    culprit = max(heavy, key=lambda each: float(each["value"]))
    assert (culprit["file"], culprit["name"].partition("@")[0]) == ("app.c", "loop")
    out = project.folder / "autoanalyzer-out"
    assert (out / "first" / "experiment.cube").exists()
    assert left_by_run(out) == {"first", "build.log", "built.jsonl", "experiment.cube"}
    assert b"to remove the probes: remove the object files, then build" in done.stderr
    again = debug(project, build="AUTOANALYZER=off make; make")
    assert again.returncode == 2
    assert b"mpifort compiled anything" in again.stderr


def test_what_is_up_to_date_is_left_and_the_way_out_said(project: Tool) -> None:
    assert project("make").returncode == 0
    before = (project.folder / "app").read_bytes()
    done = debug(project)
    assert done.returncode == 2
    assert b"mpifort compiled anything; if everything is up to date, add --clean 'make clean'" in done.stderr
    assert (project.folder / "app").read_bytes() == before


def test_a_second_build_that_makes_nothing_gives_all_back_and_the_first_verdict(project: Tool) -> None:
    earlier = project.write("autoanalyzer-out/experiment.cube", "of an earlier run")
    done = debug(project, "--json", "found.json", build="test -e stamp || { make && touch stamp; }")
    assert done.returncode == 2
    lines = done.stderr.decode().splitlines()
    assert "mpifort compiled anything" in lines[-1]
    assert any("HOT SPOT" in line and "spin" in line for line in lines)
    assert (project.folder / "found.json").exists()
    assert project("./app").returncode == 0
    assert not earlier.exists()


def test_where_there_is_nothing_to_narrow_the_first_verdict_is_written(project: Tool) -> None:
    project.write("plain.c", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); }\n")
    assert project("mpicc", "plain.c", "-o", "plain").returncode == 0
    done = succeed(debug(project, "--json", "found.json", "--clean", "make clean", program="./plain"))
    assert b"no second round, because " in done.stderr
    assert b"not instrumented: plain" in done.stderr
    assert b"to remove the probes: make clean, then build" in done.stderr
    assert (project.folder / "found.json").exists()
    out = project.folder / "autoanalyzer-out"
    assert left_by_run(out) == {"first", "built.jsonl"}


def test_what_the_first_round_throttles_stays_out_of_the_second(project: Tool) -> None:
    tiny = "static double add(double s, int n) { for (int k = 1; k < n; k++) s += 1.0 / k; return s; }\n"
    project.write("app.c", SOURCE.replace("static", tiny + "static", 1).replace("1.0 / (i + j)", "add(j, i % 3)"))
    succeed(debug(project, "--max-overhead", "0.1%"))
    first, second = (
        load(project.folder / "autoanalyzer-out" / name) for name in ("first/experiment.cube", "experiment.cube")
    )
    assert [Region.from_descriptor(each).name for each in first.notes.throttled] == ["add"]
    assert "add" not in {path.region.name for path in second.call_paths}


@pytest.mark.measured
def test_a_loop_of_few_trips_is_left_out_again(project: Tool) -> None:
    project.write("app.c", SOURCE.replace("j < 100000", "j < n / 66").replace("i < n", "i < 100000 * n"))
    done = succeed(debug(project))
    assert b"2 of 2, again: ./app\n" in done.stderr
    names = [path.region.name for path in load(project.folder / "autoanalyzer-out" / "experiment.cube").call_paths]
    assert names == ["main", "spin", "loop@5"]


@pytest.mark.measured
def test_where_the_build_without_them_fails_the_verdict_is_of_the_second_round(project: Tool) -> None:
    project.write("app.c", SOURCE.replace("j < 100000", "j < n / 66").replace("i < n", "i < 100000 * n"))
    build = "touch times; test $(wc -l < times) = 2 && exit 1; echo >> times; make"
    done = debug(project, "--json", "found.json", build=build)
    assert done.returncode == 2
    assert b"loop in spin" in done.stderr
    (culprit,) = json.loads((project.folder / "found.json").read_text())["disparity"]["cccr"]
    assert culprit["name"] == "loop@5"


def test_loops_of_a_function_that_cannot_be_a_region_are_narrowed(project: Tool) -> None:
    source = SOURCE.replace("return sum;", "return n > 1 ? spin(n / 2) : sum;")
    project.write("app.c", source)
    done = succeed(debug(project))
    assert b"opened   app.c:5   spin: loops" in done.stderr
    assert b"app.c:6  loop in spin" in done.stderr


def test_a_program_that_ends_of_itself_is_narrowed_whatever_its_status(project: Tool) -> None:
    project.write("app.c", SOURCE.replace("return 0;", "return 3;"))
    done = debug(project)
    assert done.returncode == 1
    assert done.stderr.count(b"autoanalyzer: the program ended with exit status 3\n") == 2
    assert b"opened   app.c:3   spin: loops" in done.stderr
    assert b"loop in spin" in done.stderr


def test_a_program_that_a_signal_ends_has_no_second_round(project: Tool) -> None:
    project.write("app.c", "#include <stdlib.h>\n" + SOURCE.replace("return 0;", "abort();"))
    done = debug(project, "--counters", "simulated")
    assert done.returncode == 1
    assert b"autoanalyzer: no second round, because a signal ended the program; the program keeps" in done.stderr
    assert b"HOT SPOT    app.c:4  spin" in done.stderr
    assert b"to remove the probes: remove the object files, then build" in done.stderr
    assert b"2 of 2" not in done.stderr
    assert b"instructions and cache misses were not counted (there was no second round)" in done.stderr


def test_what_is_linked_as_it_was_is_named_and_what_remembers_compilers(project: Tool) -> None:
    project.write("other.c", "int other;\n")
    assert project("mpicc", "-c", "other.c").returncode == 0
    project.write("config.mk", "SIZE = 1\n")
    project.write("Makefile", MAKEFILE.replace("$@ app.o\n", "$@ app.o other.o\n"))
    done = succeed(debug(project, build="echo 'int x;' > conftest.c && $CC -c conftest.c && make"))
    assert (
        b"the program links objects that are older than this build and lack its probes: other.o; if your build"
        in done.stderr
    )
    assert (
        b"remove the object files, configure again (the old configuration uses the instrumenting compilers), then build"
        in done.stderr
    )


def test_a_build_that_fails_is_said_with_its_message(project: Tool) -> None:
    project.write("config.mk", "SIZE = nothing\n")
    done = debug(project)
    assert done.returncode == 2
    last = done.stderr.decode().splitlines()[-1]
    assert ": failed with status 2; see autoanalyzer-out/first/build.log (" in last
    assert "nothing" in last


def test_what_ends_debug_ends_the_build_and_meanwhile_no_other_may_use_its_folder(project: Tool) -> None:
    project.write("slow.mk", "all:\n\techo $$$$ > started.new; mv started.new started; sleep 1000; echo > late\n")
    command = [BIN / "autoanalyzer", "debug", "--build", "make -f slow.mk", "--", "./app"]
    running = subprocess.Popen(command, cwd=project.folder, stderr=subprocess.DEVNULL)
    started = project.folder / "started"
    while not started.exists():
        assert running.poll() is None
        time.sleep(0.02)
    other = refused(debug(project))
    assert other.endswith("autoanalyzer-out: another autoanalyzer debug uses this folder; choose another folder (-o)")
    running.terminate()
    assert running.wait() == 128 + signal.SIGTERM
    while _runs(started.read_text().strip()):  # a killed process may wait for a core before it ends
        time.sleep(0.02)
    assert not (project.folder / "late").exists()


def _runs(process: str) -> bool:
    with suppress(OSError):
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_compiler_that_is_badly_quoted_is_said(project: Tool) -> None:
    done = project("autoanalyzer", "debug", "--build", "make", "--", "./app", env={"CC": 'gcc "'})
    assert "CC: expected a command, found 'gcc \"'" in refused(done)
