"""Closed standard streams: files that a program opens get the same descriptors as without the tool."""

from pathlib import Path

import pytest

from ..conftest import Tool
from .conftest import succeed

PROGRAM = """
#include <fcntl.h>
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
    int first = open("first", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    FILE *opened = fopen("opened", "w");
    fprintf(opened, "%d %d\\n", first, fileno(opened));
    fclose(opened);
    printf("printed %d\\n", sum > 1);
    return 0;
}
"""
STREAMS = ("<&-", ">&-", "2>&-", "<&- >&- 2>&-")
BY_DAY = pytest.mark.by_day(closed=[">&-", "<&- >&- 2>&-"])


def files(folder: Path) -> dict[str, str]:
    found = {name: (folder / name).read_text() for name in ("first", "opened")}
    for name in found:
        (folder / name).unlink()
    return found


@pytest.mark.parametrize("closed", STREAMS)
@BY_DAY
def test_a_program_with_closed_streams_finds_them_closed(tool: Tool, closed: str) -> None:
    tool.build(PROGRAM)
    succeed(tool("sh", "-c", f"./app {closed}"))
    expected = files(tool.folder)
    for command in ("run --no-calibrate -o out --", "exec -o other"):
        succeed(tool("sh", "-c", f"autoanalyzer {command} ./app {closed}"))
        assert files(tool.folder) == expected
    for folder in ("out", "other"):
        assert b"work" in succeed(tool("autoanalyzer", "dump", folder)).stdout


@pytest.mark.parametrize("closed", STREAMS)
@BY_DAY
def test_compiles_with_closed_streams_do_what_others_do(tool: Tool, closed: str) -> None:
    """The front end compiles first, then the cache answers; the compiler's warning cannot be printed."""
    tool.write("app.c", PROGRAM.replace("int first", "int unused, first"))
    environment = {"AUTOANALYZER_CC": "gcc", "AUTOANALYZER_CACHE": str(tool.folder / "cache")}
    for way in ("first", "again"):
        command = f"aa-mpicc -O1 -Wall -c app.c -o {way}.o {closed}"
        succeed(tool("sh", "-c", command, env=environment))
    succeed(tool("aa-mpicc", "-O1", "-Wall", "-c", "app.c", "-o", "open.o", env=environment))
    objects = {(tool.folder / f"{name}.o").read_bytes() for name in ("first", "again", "open")}
    assert len(objects) == 1
