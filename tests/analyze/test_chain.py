"""Ranks that work one after another, and those that only seem to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.worth import worth_of_weight
from autoanalyzer.view.verdict import verdict_lines

from .conftest import MakeExperiment

WAITS = [0.0, 1.0, 2.0, 3.0]  # for ranks that compute 1 s each, one after another
FROM_FIRST = {"mpi_bytes_sent": [8.0, 8.0, 8.0, 0.0], "mpi_bytes_received": [0.0, 8.0, 8.0, 8.0]}
TO_FIRST = {name: of_rank[::-1] for name, of_rank in FROM_FIRST.items()}
BETWEEN_ALL = dict.fromkeys(FROM_FIRST, [8.0] * 4)
TO_ONE = {"mpi_bytes_sent": [8.0, 8.0, 8.0, 0.0], "mpi_bytes_received": [0.0, 0.0, 0.0, 24.0]}


def pass_on(
    make_experiment: MakeExperiment,
    *,
    flow: dict[str, list[float]] = FROM_FIRST,
    waits: list[float] = WAITS,
    polls: list[float] = WAITS,
    collective: float = 0.0,
    processors: int | None = None,
) -> tuple[Findings, int]:
    """Analyse a program of which 100 s are computed elsewhere; give the position of the region, too."""
    experiment = make_experiment(
        {"calm": [100.0] * 4, "pass": [1.0 + each for each in polls]},
        off={"pass": [-each for each in polls]},
        mpi_time={"pass": waits},
        mpi_cpu_time={"pass": polls},
        mpi_collective_time={"pass": [collective * each for each in waits]},
        mpi_barrier_time={"pass": [0.0] * 4},
        mpi_bytes={"pass": [8.0] * 4},
        **{name: {"pass": of_rank} for name, of_rank in flow.items()},
    )
    found = analyze(experiment.replaced(notes=replace(experiment.notes, processors=processors)))
    names = [experiment.path_name(each.id) for each in found.run.weighed.regions]
    return found, names.index("pass")


@pytest.mark.parametrize(
    ("more", "saved"),
    [
        pytest.param({}, 3.0, id="the last rank starts 3 s after the first"),
        pytest.param({"flow": TO_FIRST, "waits": WAITS[::-1], "polls": WAITS[::-1]}, 3.0, id="the other way round"),
        pytest.param({"waits": [0.0, 1.0, 1.0, 2.0]}, 2.0, id="along the diagonals of two by two ranks"),
        pytest.param({"processors": 2}, 2.0, id="two processors take 2 s for it"),
        pytest.param({"waits": [0.0, 8.0, 4.0, 9.0]}, 3.0, id="no rank waits for longer than those before it compute"),
        pytest.param({"polls": [0.0] * 4}, 3.0, id="calls that sleep, on processors of their own"),
    ],
)
def test_ranks_that_work_one_after_another_would_save_time_at_once(more, saved, make_experiment):
    found, region = pass_on(make_experiment, **more)
    assert region in found.disparity.cccr
    assert region in found.explanation.of_regions.waiting
    worth = worth_of_weight(found, region)
    assert worth is not None
    assert worth.seconds == pytest.approx(saved)
    assert "ranks work one after another" in "\n".join(verdict_lines(found))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"flow": BETWEEN_ALL}, id="each rank sends and receives"),
        pytest.param({"flow": TO_ONE}, id="one rank receives from all"),
        pytest.param({"collective": 1.0}, id="a broadcast"),
        pytest.param({"waits": [0.0, 0.2, 0.1, 0.2], "polls": [0.0, 0.2, 0.1, 0.2]}, id="they hardly wait"),
        pytest.param({"processors": 2, "polls": [0.0, 0.1, 0.3, 0.2]}, id="others have the processors meanwhile"),
    ],
)
def test_who_waits_for_a_message_or_a_turn_works_not_one_after_another(more, make_experiment):
    found, region = pass_on(make_experiment, **more)
    assert not found.explanation.seconds.chained.any()
    assert region not in found.disparity.cccr
