"""The critical path of another tool's archive, on the terminal and as JSON."""

from __future__ import annotations

import json

import pytest

from ..experiment.bridges.otf2_program import collective, of_ranks, receive, run, send, work, write

CHAIN = [
    [work("link", 1.0), send(1), collective("MPI_Barrier", (0, 1))],
    [receive(0), work("link", 1.0), collective("MPI_Barrier", (0, 1))],
]


def test_archives_have_what_runs_have(here, tmp_path):
    write(tmp_path / "scorep", of_ranks(run(CHAIN)))
    done = here("analyze", "scorep", "--path", "--json", "findings.json")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.decode().splitlines()]
    assert lines[:6] == [
        "the ranks are busy 50 % of the run: load balance 100 % x serialisation 50 % x transfer 100 %",
        "busy time is wall time outside MPI here, so on a busy machine it includes waiting for a core",
        "critical path: 2 s of busy time",
        "on the path share ranks region source",
        "2 s 100 % ranks 0-1 link a.c:1",
        "1 s of waiting in MPI_Barrier for ranks in link (a.c:1)",
    ]
    assert lines[6] == "1 s of waiting in MPI_Recv for ranks in link (a.c:1)"
    assert any(line.startswith("why: each rank waits in MPI_Recv") for line in lines)
    found = json.loads((tmp_path / "findings.json").read_text())
    assert [(each["name"], {*each["ranks"]}) for each in found["critical_path"]] == [("link", {0, 1})]
    assert found["critical_path"][0]["seconds"] == pytest.approx(2)
    assert {(each["waiting"]["name"], each["late"]["name"]) for each in found["delays"]} == {
        ("MPI_Barrier", "link"),
        ("MPI_Recv", "link"),
    }
    assert found["experiment"]["sources"]["path_time"].startswith("derived:wall_time outside MPI")


def test_the_copy_of_an_archive_in_another_format_keeps_its_path(here, tmp_path):
    write(tmp_path / "scorep", of_ranks(run(CHAIN)))
    assert here("convert", "scorep/traces.otf2", "copy.cubex").returncode == 0
    assert (
        here("analyze", "copy.cubex", "--path").stdout.splitlines()[:7]
        == (here("analyze", "scorep", "--path").stdout.splitlines()[:7])
    )


def test_one_line_says_why_an_archive_has_no_path(here, tmp_path):
    write(tmp_path / "scorep", of_ranks(run(CHAIN)), shift=(2.5, 0.0))
    done = here("analyze", "scorep", "--path")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode().splitlines()[0]
    assert said.startswith("the critical path is not known: the ranks' clocks differ: a message was received 2.5 s")
