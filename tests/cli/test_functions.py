"""The command ``autoanalyzer regions --mpi``, and its older name."""

from __future__ import annotations

import re

from ..conftest import Tool
from .conftest import refused


def test_no_function_that_communicates_is_left_out(tool: Tool, mpi: tuple[str, str]) -> None:
    for words in (("regions", "--mpi", "--why", "--cc"), ("functions", "--uncovered", "--compiler")):
        done = tool("autoanalyzer", *words, mpi[1])
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_each_function_is_listed_with_what_it_counts(tool: Tool, mpi: tuple[str, str]) -> None:
    done = tool("autoanalyzer", "regions", "--mpi", "--cc", mpi[1])
    assert done.returncode == 0, done.stderr.decode()
    assert tool("autoanalyzer", "functions", "--compiler", mpi[1]).stdout == done.stdout
    head, *lines, last = done.stdout.decode().splitlines()
    assert head.endswith(mpi[1])
    assert last == "not covered: none of the functions that communicate"
    counts = dict(re.split(r"  +", line, maxsplit=1) for line in lines)
    assert counts["MPI_Send"] == "C, mpif.h, mpi, mpi_f08   sent peer_bytes(dest, count, type)"
    assert counts["MPI_Irecv"].endswith("received the bytes in the status at completion")
    assert counts["MPI_File_read"].endswith("read the bytes in the status")
    assert counts["MPI_Win_fence"].endswith("  time")
    assert not {"MPI_Comm_rank", "MPI_Type_commit"} & set(counts)


def test_a_compiler_that_is_none_is_named(tool: Tool) -> None:
    for words in (("regions", "--mpi", "--cc"), ("functions", "--compiler")):
        for command in ("gcc", "no-such-compiler", "", "'"):
            line = refused(tool("autoanalyzer", *words, command))
            assert words[-1] in line


def test_sources_and_functions_of_mpi_are_not_listed_together(tool: Tool) -> None:
    assert "--mpi needs no sources" in refused(tool("autoanalyzer", "regions", "--mpi", "a.c"))
    assert "required: SRC" in refused(tool("autoanalyzer", "regions"))
