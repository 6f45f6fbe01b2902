"""File descriptors that a user has opened for a program: the program gets them, and the tool closes its copies."""

import sys

from ..conftest import Tool
from .conftest import succeed

PROGRAM = """
#include <stdio.h>
#include <unistd.h>
static double work(int steps) {
    double sum = 0;
    for (int i = 1; i < steps; i++)
        sum += 1.0 / i;
    return sum;
}
int main(void) {
    double sum = work(500000);
    printf("%d\\n", sum > 1);
    return write(9, "to nine\\n", 8) != 8;
}
"""
RUN = "autoanalyzer run --no-calibrate -o out"
# Writes down which files this process has open when it begins to gather.
NOTES = """
import os
from autoanalyzer.runtime import measure

gather = measure.gather_shards

def noted(*arguments, **options):
    with open("open", "w") as stream:
        for number in os.listdir("/proc/self/fd"):
            if os.path.exists(f"/proc/self/fd/{number}"):
                print(os.readlink(f"/proc/self/fd/{number}"), file=stream)
    return gather(*arguments, **options)

measure.gather_shards = noted
from autoanalyzer.cli.command import autoanalyzer
autoanalyzer()
"""


def test_a_program_gets_the_descriptors_that_are_open(tool: Tool) -> None:
    tool.build(PROGRAM)
    for way, starts in ((f"{RUN} --repeat 2 --counters simulated --", 3), ("autoanalyzer exec", 1)):
        succeed(tool("sh", "-c", f"{way} ./app 9>nine"))
        assert (tool.folder / "nine").read_text() == "to nine\n" * starts


def test_a_compiler_gets_the_descriptors_that_are_open(tool: Tool) -> None:
    """GNU's link-time optimisation receives jobs from make through such descriptors."""
    tool.write("cc", '#!/bin/sh\necho called >&9\nexec gcc "$@"\n').chmod(0o755)
    tool.write("app.c", PROGRAM)
    environment = {"AUTOANALYZER_CC": str(tool.folder / "cc"), "AUTOANALYZER_CACHE": str(tool.folder / "cache")}
    succeed(tool("sh", "-c", "aa-mpicc -O1 -c app.c -o app.o 9>calls; aa-mpicc app.o -o app 9>links", env=environment))
    for name in ("calls", "links"):
        assert "called\n" in (tool.folder / name).read_text()


def test_who_reads_what_a_program_writes_does_not_wait_for_the_gather(tool: Tool) -> None:
    tool.build(PROGRAM)
    tool.write("notes.py", NOTES)
    tool.write("given", "")
    run = f"{sys.executable} notes.py run --no-calibrate -o out -- ./app"
    succeed(tool("sh", "-c", f"{run} <given >printed 9>nine"))
    opened = (tool.folder / "open").read_text()
    assert opened.startswith("/dev/null")
    assert all(str(tool.folder / name) not in opened for name in ("given", "printed", "nine"))
    assert (tool.folder / "printed").read_text() == "1\n"
    assert (tool.folder / "nine").read_text() == "to nine\n"
    assert b"work" in succeed(tool("autoanalyzer", "dump", "out")).stdout


def test_findings_go_to_standard_output_if_that_is_asked_for(tool: Tool) -> None:
    tool.build(PROGRAM)
    done = succeed(tool("sh", "-c", f"{RUN} --json /dev/stdout -- ./app 9>/dev/null"))
    assert b'"work"' in done.stdout
