"""Efficiencies and critical path of runs that recorded the path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.view.findings_json import findings_document

from ..conftest import MakeExperiment

LATE = Delay("aa1|function|wait|app.c|wait|0|3|3", "aa1|function|chain|app.c|chain|0|2|2", 3.0)


@pytest.fixture
def chain(make_experiment: MakeExperiment) -> Experiment:
    """Three ranks share 3 s of ``even``, then each does 1 s of ``chain`` after the rank before it."""
    made = make_experiment(
        {"even": [1.0] * 3, "chain": [1.0] * 3, "wait": [0.0] * 3},
        mpi_time={"wait": [2.0] * 3},
        path_time={"even": [1.0, 0.0, 0.0], "chain": [0.9, 1.0, 1.1]},
    )
    return made.replaced(notes=replace(made.notes, delays=(LATE,)))


def test_efficiencies_are_shares_of_which_the_product_is_the_parallel_one(chain: Experiment) -> None:
    path = analyze(chain).critical_path
    assert path is not None
    found = path.efficiency
    assert path.length == pytest.approx(4)
    assert (found.load_balance, found.serialisation, found.transfer) == pytest.approx((1, 2 / 4, 1))
    assert found.parallel == pytest.approx(found.load_balance * found.serialisation * found.transfer)
    assert found.reliable == ("load_balance", "serialisation", "transfer", "parallel")


def test_an_imbalance_is_no_serialisation(make_experiment: MakeExperiment) -> None:
    found = analyze(make_experiment({"work": [1.0, 3.0]}, path_time={"work": [0.0, 3.0]})).critical_path
    assert found is not None
    assert (found.efficiency.load_balance, found.efficiency.serialisation) == pytest.approx((2 / 3, 1))


def test_parts_of_the_path_come_longest_first_with_the_rank_that_has_most(chain: Experiment) -> None:
    path = analyze(chain).critical_path
    assert path is not None
    names = [chain.call_paths[each.path].region.name for each in path.regions]
    assert names == ["chain", "even"]
    assert [each.ranks for each in path.regions] == [(2, 1, 0), (0,)]
    assert [each.share for each in path.regions] == pytest.approx([3 / 4, 1 / 4])
    assert path.delays == (LATE,)


def test_a_rank_with_less_than_a_hundredth_of_a_part_is_not_named(make_experiment: MakeExperiment) -> None:
    experiment = make_experiment({"work": [1.0] * 4}, path_time={"work": [0.5, 0.007, 0.5, 0.015]})
    path = analyze(experiment).critical_path
    assert path is not None
    assert path.regions[0].ranks == (0, 2, 3)


@pytest.mark.parametrize(
    ("notes", "is_crowded"),
    [({"processors": 2}, True), ({"run_delay": {"1": 0.41}}, True), ({"run_delay": {"1": 0.39}}, False)],
)
def test_ranks_that_wait_for_a_core_leave_two_efficiencies_reliable(
    chain: Experiment, notes: dict[str, Any], is_crowded: bool
) -> None:
    path = analyze(chain.replaced(notes=replace(chain.notes, **notes))).critical_path
    assert path is not None
    measured = () if is_crowded else ("transfer", "parallel")
    assert path.efficiency.reliable == ("load_balance", "serialisation", *measured)


def test_the_document_has_path_and_delays(chain: Experiment) -> None:
    document = findings_document(analyze(chain), Path("x.cube"))
    assert document["efficiency"]["serialisation"] == pytest.approx(0.5)
    part = document["critical_path"][0]
    assert (part["name"], part["ranks"], part["seconds"]) == ("chain", [2, 1, 0], pytest.approx(3))
    (delay,) = document["delays"]
    assert (delay["waiting"]["name"], delay["late"]["name"], delay["seconds"]) == ("wait", "chain", 3.0)


@pytest.mark.parametrize("path_time", [None, [0.0, 0.0]])
def test_without_a_recorded_path_there_is_none(make_experiment: MakeExperiment, path_time: list[float] | None) -> None:
    others = {} if path_time is None else {"path_time": {"work": path_time}}
    found = analyze(make_experiment({"work": [1.0, 2.0]}, **others))
    assert found.critical_path is None
    document = findings_document(found, Path("x.cube"))
    assert [document[key] for key in ("efficiency", "critical_path", "delays")] == [None] * 3
