"""The command ``autoanalyzer functions``."""

from __future__ import annotations

import re

from ..conftest import Tool


def test_no_function_that_communicates_is_left_out(tool: Tool, mpi: tuple[str, str]) -> None:
    done = tool("autoanalyzer", "functions", "--uncovered", "--compiler", mpi[1])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_each_function_is_listed_with_what_it_counts(tool: Tool, mpi: tuple[str, str]) -> None:
    done = tool("autoanalyzer", "functions", "--compiler", mpi[1])
    assert done.returncode == 0, done.stderr.decode()
    head, *lines, last = done.stdout.decode().splitlines()
    assert head.endswith(mpi[1])
    assert last == "not covered: no function that communicates"
    counts = dict(re.split(r"  +", line, maxsplit=1) for line in lines)
    assert counts["MPI_Send"] == "C, mpif.h, mpi, mpi_f08   sent peer_bytes(dest, count, type)"
    assert counts["MPI_Irecv"].endswith("received what the status says when it completes")
    assert counts["MPI_File_read"].endswith("read what the status says")
    assert counts["MPI_Win_fence"].endswith("  time")
    assert not {"MPI_Comm_rank", "MPI_Type_commit"} & set(counts)


def test_a_compiler_that_is_none_is_named(tool: Tool) -> None:
    for command in ("gcc", "no-such-compiler", "", "'"):
        done = tool("autoanalyzer", "functions", "--compiler", command)
        assert (done.returncode, done.stdout) == (2, b"")
        assert len(done.stderr.decode().splitlines()) == 1
