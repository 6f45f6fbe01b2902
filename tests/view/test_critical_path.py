"""The critical path on a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.view.critical_path import PathSection

from ..analyze.conftest import MakeExperiment, make_experiment

__all__ = ["make_experiment"]

SECTION = PathSection()
DELAYS = (
    Delay("aa1|function|wait|app.c|wait|0|3|3", "aa1|function|chain|app.c|chain|0|2|2", 3.0),
    Delay("aa1|mpi|MPI_Barrier||main|0|0|0", "aa1|function|even|app.c|even|0|1|1", 0.5),
    Delay("aa1|mpi|MPI_Barrier||main|0|0|0", "aa1|function|wait|app.c|wait|0|3|3", 0.001),
)


def printed(experiment, capsys: pytest.CaptureFixture[str]) -> list[str]:
    SECTION.print(analyze(experiment))
    return capsys.readouterr().out.splitlines()


def test_efficiencies_parts_and_delays_are_printed(
    make_experiment: MakeExperiment, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_experiment(
        {"even": [1.0] * 3, "chain": [1.0] * 3, "wait": [0.0] * 3},
        mpi_time={"wait": [2.0] * 3},
        path_time={"even": [1.0, 0.0, 0.0], "chain": [0.9, 1.0, 1.1]},
    )
    lines = printed(made.replaced(notes=replace(made.notes, delays=DELAYS)), capsys)
    assert [" ".join(line.split()) for line in lines] == [
        "the ranks are busy 50 % of the run: load balance 100 % x serialisation 50 % x transfer 100 %",
        "critical path: 4 s of busy time",
        "on the path share ranks region source",
        "3 s 75 % ranks 0-2 chain app.c:2",
        "1 s 25 % rank 0 even app.c:1",
        "3 s of waiting in wait (app.c:3) for ranks in chain (app.c:2)",
        "500 ms of waiting in MPI_Barrier in main for ranks in even (app.c:1)",
    ]


def test_more_ranks_than_processors_have_a_line_on_what_is_reliable(
    make_experiment: MakeExperiment, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_experiment({"even": [1.0] * 3, "wait": [0.0] * 3}, path_time={"even": [1.0, 0.0, 0.0]})
    lines = printed(made.replaced(notes=replace(made.notes, processors=2)), capsys)
    assert lines[1] == "transfer includes waiting for a core; load balance and serialisation do not"


def test_without_a_path_one_line_says_how_to_get_it(
    make_experiment: MakeExperiment, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(make_experiment({"even": [1.0, 1.0]}), capsys)
    assert lines == ["the critical path is not known: to record it, use --path auto (several ranks) or --path always"]


@pytest.mark.parametrize(
    ("is_partial", "said"),
    [
        (True, ", for the beginning of the run only"),
        (False, "; the busiest rank is busy for longer than that, so part of the path is missing"),
    ],
)
def test_it_is_said_why_a_path_has_no_efficiencies(
    is_partial: bool, said: str, make_experiment: MakeExperiment, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_experiment({"even": [2.0] * 3}, path_time={"even": [1.0, 0.0, 0.0]})
    lines = printed(made.replaced(notes=replace(made.notes, path_is_partial=is_partial)), capsys)
    assert lines[0] == f"critical path: 1 s of busy time{said}"
