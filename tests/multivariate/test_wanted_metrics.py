import numpy as np
import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.multivariate.derivations import built_in
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.multivariate.wanted_metrics import WantedMetrics

THERE = ("visits", "time", "instructions", "cycles")
RATE = Formula.parse("rate = time / visits")


def test_all_that_was_measured_and_derived_is_wanted_by_default():
    assert WantedMetrics.among(THERE).names == THERE
    assert WantedMetrics.among(THERE, None, [RATE]).names == (*THERE, "rate")


def test_a_metric_that_is_named_twice_is_one():
    assert WantedMetrics.among(THERE, ["time", "time", "cycles", "time"]).names == ("time", "cycles")


def test_a_derived_metric_is_there_beside_those_that_are_named():
    wanted = WantedMetrics.among(THERE, ["cycles"], [RATE])
    assert (wanted.names, wanted.measured) == (("cycles", "rate"), ("visits", "time", "cycles"))
    assert WantedMetrics.among(THERE, ["rate", "cycles"], [RATE]).names == ("rate", "cycles")


def test_built_in_formulas_are_there_with_their_parts_for_who_asks():
    wanted = WantedMetrics.among(THERE, ["ipc"], [Formula.parse("twice = 2 * ipc")])
    assert (wanted.names, wanted.measured) == (("ipc", "twice"), ("instructions", "cycles"))
    assert [each.name for each in wanted.formulas] == ["ipc", "twice"]


def test_rates_are_there_for_who_asks_and_searched_by_nobody():
    wanted = WantedMetrics.among(("l1_misses", "instructions", "mpi_bytes", "mpi_time"), ["l1_mpki", "mpi_rate"])
    columns = {"l1_misses": np.array([3.0]), "instructions": np.array([2000.0])}
    assert [each.name for each in wanted.formulas] == ["l1_mpki", "mpi_rate"]
    assert wanted.formulas[0].evaluate(columns).tolist() == [1.5]
    assert not {"l1_mpki", "l2_mpki", "mpi_rate", "io_rate"} & {each.name for each in built_in()}


def test_what_has_the_name_of_a_built_in_formula_takes_its_place():
    own = Formula.parse("ipc = instructions / time")
    assert WantedMetrics.among(THERE, ["ipc"], [own]).measured == ("time", "instructions")
    assert WantedMetrics.among((*THERE, "ipc"), ["ipc"]).formulas == ()


@pytest.mark.parametrize(
    ("names", "derived", "said"),
    [
        (["tim"], [], "no metric 'tim'; did you mean time"),
        (["cpj"], [], "did you mean cpi"),
        (None, [Formula.parse("a=tim/2")], "a=tim/2: no metric 'tim'; did you mean time"),
        (["l1_mpki"], [], r"l1_mpki is computed as 1000 \* l1_misses / .* missing here: l1_misses$"),
        (None, [Formula.parse("a=2*memory_rate")], "memory_rate is computed .* missing here: the size of a cache"),
        (None, [Formula.parse("time=visits")], "time=visits: expected a new name"),
        (None, [RATE, RATE], "expected a new name"),
    ],
)
def test_unknown_and_taken_names_are_refused(names, derived, said):
    with pytest.raises(UsageError, match=said):
        WantedMetrics.among(THERE, names, derived)
