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
SIDE_BY_SIDE, END_TO_END = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 2.0] * 2
TO_ONE = {"mpi_bytes_sent": [8.0, 8.0, 8.0, 0.0], "mpi_bytes_received": [0.0, 0.0, 0.0, 24.0]}


def from_first(ranks: int) -> dict[str, list[float]]:
    """Give what each rank sends and receives if the first sends to the second, this to the third, and so on."""
    return {"mpi_bytes_sent": [8.0] * (ranks - 1) + [0.0], "mpi_bytes_received": [0.0] + [8.0] * (ranks - 1)}


def of_chains(places: list[float]) -> dict[str, list[float]]:
    """Give the same of several chains of three ranks each, by the place of each rank in its chain."""
    return {
        "mpi_bytes_sent": [8.0 if each < 2 else 0.0 for each in places],
        "mpi_bytes_received": [8.0 if each > 0 else 0.0 for each in places],
    }


def pass_on(
    make_experiment: MakeExperiment,
    *,
    flow: dict[str, list[float]] = FROM_FIRST,
    waits: list[float] = WAITS,
    polls: list[float] | None = None,
    sleeps: float = 0.0,
    calm: float = 100.0,
    collective: float = 0.0,
    processors: int | None = None,
) -> tuple[Findings, int]:
    """Analyse a program of which most is computed elsewhere; give the position of the region, too.

    The first rank sleeps in the region, besides.
    """
    polls, others = waits if polls is None else polls, len(waits) - 1
    experiment = make_experiment(
        {"calm": [calm] * len(waits), "pass": [1.0 + each for each in polls]},
        off={"pass": [more - each for each, more in zip(polls, [sleeps] + [0.0] * others, strict=True)]},
        mpi_time={"pass": waits},
        mpi_cpu_time={"pass": polls},
        mpi_collective_time={"pass": [collective * each for each in waits]},
        mpi_barrier_time={"pass": [0.0] * len(waits)},
        mpi_bytes={"pass": [8.0] * len(waits)},
        **{name: {"pass": of_rank} for name, of_rank in flow.items()},
    )
    found = analyze(experiment.replaced(notes=replace(experiment.notes, processors=processors)))
    names = [experiment.path_name(each.id) for each in found.run.weighed.regions]
    return found, names.index("pass")


@pytest.mark.parametrize(
    ("more", "saved"),
    [
        pytest.param({}, 3.0, id="the last rank starts 3 s after the first"),
        pytest.param({"flow": TO_FIRST, "waits": WAITS[::-1]}, 3.0, id="the other way round"),
        pytest.param({"waits": [0.0, 1.0, 1.0, 2.0]}, 2.0, id="along the diagonals of two by two ranks"),
        pytest.param({"waits": [0.0, 0.5, 1.0, 1.5]}, 1.5, id="in two blocks, each passed on when it is done"),
        pytest.param({"flow": of_chains(SIDE_BY_SIDE), "waits": SIDE_BY_SIDE}, 2.0, id="two chains side by side"),
        pytest.param({"flow": of_chains(END_TO_END), "waits": END_TO_END}, 2.0, id="two chains, end to end"),
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
        pytest.param({"waits": [0.0, 0.2, 0.1, 0.2]}, id="they hardly wait"),
        pytest.param({"processors": 2, "polls": [0.0, 0.1, 0.3, 0.2]}, id="others have the processors meanwhile"),
        pytest.param({"flow": from_first(64), "waits": [each * 31 % 64 / 64 for each in range(64)]}, id="now and then"),
        pytest.param({"flow": from_first(64), "waits": [each * 31 % 64 / 8 for each in range(64)]}, id="often"),
        pytest.param({"flow": from_first(8), "waits": [0.05] * 4 + [0.85] * 4}, id="of two nodes one is slow"),
        pytest.param({"flow": from_first(4), "waits": [3.0, 2.0, 1.0, 0.0]}, id="who only sends waits longest"),
        pytest.param({"flow": from_first(2), "waits": [0.0, 10.0], "sleeps": 9.0, "calm": 900.0}, id="one sleeps"),
    ],
)
def test_who_waits_for_a_message_or_a_turn_works_not_one_after_another(more, make_experiment):
    found, region = pass_on(make_experiment, **more)
    assert not found.explanation.seconds.chained.any()
    assert region not in found.disparity.cccr


def test_the_verdict_tells_how_much_of_the_time_the_ranks_before_explain(make_experiment):
    found, _ = pass_on(make_experiment, waits=[0.0, 8.0, 4.0, 9.0])
    assert ": 1.5 s of it as ranks work one after another" in "\n".join(verdict_lines(found))
