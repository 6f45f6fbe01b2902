"""Losses and regions' times as functions of the number of ranks, on synthetic runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autoanalyzer.analyze.scaling import Scaling, curves, find_scaling, ledgers, series_of
from autoanalyzer.experiment import Experiment

from ..conftest import MakeExperiment

RATE = 1e9  # instructions per second


@pytest.fixture
def study(make_experiment: MakeExperiment) -> Callable[..., Scaling]:
    """Judge runs with 8 s of divided work, 1 s on every rank, 1 s on rank 0 alone, and 0.1 s of short work."""

    def run(ranks: int, transfer: float) -> Experiment:
        alone = [0.0] * (ranks - 1)
        work = {
            "divided": [8 / ranks] * ranks,
            "all": [1.0] * ranks,
            "master": [1.0, *alone],
            "short": [0.1 / ranks] * ranks,
        }
        length = sum(values[0] for values in work.values())
        path = {name: [values[0], *alone] for name, values in work.items()}
        counts = {name: [RATE * each for each in values] for name, values in work.items()}
        others = {"program_time": {"": [length + transfer] * ranks}} if transfer else {}
        waits = {
            "mpi_time": {
                "MPI_Wait": [length + transfer - sum(each[rank] for each in work.values()) for rank in range(ranks)]
            },
            "wait_time": {"MPI_Wait": [length - sum(each[rank] for each in work.values()) for rank in range(ranks)]},
        }
        return make_experiment(
            {**work, "MPI_Wait": [0.0] * ranks},
            path_time=path,
            instructions=counts,
            **(waits if transfer else {}),
            **others,
        )

    def judged(*sizes: int, transfer: float = 0.0, mode: str | None = None) -> Scaling:
        runs = [[run(ranks, transfer * (ranks - 1))] for ranks in sizes]
        return find_scaling(series_of(runs, [f"out{ranks}" for ranks in sizes]), mode)  # type: ignore[arg-type]

    return judged


def test_each_run_loses_what_its_efficiency_lacks(study: Callable[..., Scaling]) -> None:
    found = study(1, 2, 4)
    each = ledgers(found)
    assert each[-1] is found.ledger
    assert [ledger.ideal / ledger.whole for ledger in each] == pytest.approx(found.factors["efficiency"])
    # The losses are the second that every rank repeats, and the second on rank 0 alone.
    assert [ledger.lost for ledger in each] == pytest.approx([0, 2, 6])
    for ledger in each:
        assert sum(loss.rank_seconds for loss in ledger.losses) == pytest.approx(ledger.lost)
    kinds = [{loss.kind: loss.rank_seconds for loss in ledger.losses if loss.region} for ledger in each]
    assert kinds[0] == {}
    assert kinds[1]["replicated"] == pytest.approx(1)
    assert kinds[2]["replicated"] == pytest.approx(3)


def test_curves_are_times_on_the_path_of_regions_with_losses_and_of_large_ones(study: Callable[..., Scaling]) -> None:
    found = {each.region.name if each.region else "": each.seconds for each in curves(study(1, 2, 4), 8)}
    assert [*found] == ["divided", "all", "master"]  # longest in the last run first; the short one is left out
    assert found["divided"] == pytest.approx((8, 4, 2))
    assert found["all"] == pytest.approx((1, 1, 1))
    assert found["master"] == pytest.approx((1, 1, 1))


def test_the_largest_losses_have_curves_even_if_other_regions_take_longer(make_experiment: MakeExperiment) -> None:
    def run(ranks: int) -> Experiment:
        work = {f"divided{number}": [8 / ranks] * ranks for number in range(6)} | {"all": [0.5] * ranks}
        path = {name: [values[0], *[0.0] * (ranks - 1)] for name, values in work.items()}
        counts = {name: [RATE * each for each in values] for name, values in work.items()}
        return make_experiment(work, path_time=path, instructions=counts)

    found = curves(find_scaling(series_of([[run(1)], [run(4)]], ["out1", "out4"]), "strong"), 6)
    assert len(found) == 6
    assert found[-1].region is not None
    assert found[-1].region.name == "all"


def test_time_in_messages_has_a_curve_if_messages_lose_time(study: Callable[..., Scaling]) -> None:
    found = {each.region.name if each.region else "": each.seconds for each in curves(study(1, 2, 4, transfer=1.0), 8)}
    assert found[""] == pytest.approx((0, 1, 3))
    assert "" not in {each.region.name if each.region else "" for each in curves(study(1, 2, 4), 8)}


def test_perfect_scaling_divides_the_first_time_or_keeps_it_if_work_grows(study: Callable[..., Scaling]) -> None:
    assert study(2, 4, 8).ideal_times == pytest.approx((6.05, 3.025, 1.5125))
    assert study(2, 4, 8, mode="weak").ideal_times == pytest.approx((6.05,) * 3)


def test_the_factor_that_falls_first_falls_at_a_number_of_ranks(study: Callable[..., Scaling]) -> None:
    found = study(1, 2, 4)
    assert (found.falls_first, found.falls_at) == ("instructions", 4)
    assert found.largest_loss is not None
    assert (found.largest_loss.kind, found.largest_loss.rank_seconds) == ("replicated", pytest.approx(3))
