"""Derived views of experiments: select, flat, tables, aggregation; and the builder."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Builder, Experiment, Metric, Notes, Region, flat, select, to_pandas, to_xarray
from autoanalyzer.experiment.aggregate import by_level, own, own_totals, totals
from autoanalyzer.experiment.grouping import over_locations


@pytest.fixture
def experiment() -> Experiment:
    """Return two executables on two ranks of two threads; ``main`` calls ``work`` twice, which calls ``inner``."""
    made = Builder(Notes(expected_processes=3, missing=(2,)))
    for name, parent in (("time", None), ("mpi", "time"), ("late", "mpi")):
        made.metric(name, parent=parent)
    made.metric("visits", "occ")
    main = made.call_path("main")
    work = made.call_path("work", main, site=3)
    made.call_path("inner", work)
    again = made.call_path("again", main)
    made.call_path("work", again)
    made.call_path("other main")
    for rank in range(2):
        for thread in range(2):
            made.location(rank, thread, node=f"n{rank}")
    for path in range(6):
        made.row("time", path, [path, 10 * path, 100 * path, 1000 * path])
        made.row("mpi", path, [path / 2] * 4)
        made.row("late", path, [path / 4] * 4)
    made.topology("ring", [("x", 2, True)], {(0, 0): (0,), (1, 0): (1,)})
    return made.experiment()


def test_a_subtree_is_selected_wherever_its_region_is_entered_first(experiment):
    part = select(experiment, subtree="work")
    part.check()
    assert [path.region.name for path in part.call_paths] == ["work", "inner", "work"]
    assert [path.parent for path in part.call_paths] == [None, 0, None]
    assert part.exclusive("time")[:, 0].tolist() == [1, 2, 4]
    assert select(experiment, subtree="again/work").exclusive("time")[:, 0].tolist() == [4]
    assert select(experiment, subtree=5).exclusive("time")[:, 0].tolist() == [5]


def test_ranks_are_selected_with_what_is_said_of_them(experiment):
    part = select(experiment, processes=[1])
    part.check()
    assert [(place.process, place.thread) for place in part.locations] == [(1, 0), (1, 1)]
    assert part.exclusive("time")[5].tolist() == [500, 5000]
    assert part.topologies[0].coordinates == {(1, 0): (1,)}
    assert part.notes.expected_processes == 1
    assert part.notes.missing == ()
    assert part.notes.history == ("select(processes=1)",)


def test_a_metric_without_its_parent_goes_to_the_nearest_one_that_includes_it(experiment):
    part = select(experiment, metrics=["late", "time"])
    part.check()
    assert [(metric.name, metric.parent) for metric in part.metrics] == [("time", None), ("late", "time")]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"subtree": "wrok"}, "no region or call path 'wrok'; did you mean work"),
        ({"subtree": 6}, "expected a call path number from 0 to 5, found 6"),
        ({"processes": [0, 7]}, "no rank 7; there are ranks 0 to 1"),
        ({"metrics": ["speed"]}, "no metric 'speed'"),
        ({"processes": []}, "expected at least one rank to select, found none"),
        ({"metrics": []}, "expected at least one metric to select, found none"),
    ],
)
def test_what_is_not_there_cannot_be_selected(choice, message, experiment):
    with pytest.raises(InputError, match=message):
        select(experiment, **choice)


def test_a_flat_profile_is_an_experiment_with_a_root_a_region(experiment):
    profile = flat(experiment)
    profile.check()
    assert [path.region.name for path in profile.call_paths] == ["main", "work", "inner", "again", "other main"]
    assert len(profile.roots) == 5
    assert profile.exclusive("time")[1].tolist() == [5, 50, 500, 5000]
    for metric in experiment.metrics:
        assert profile.exclusive(metric.name).sum() == experiment.exclusive(metric.name).sum()


def test_a_metric_alone_is_what_its_parts_do_not_hold(experiment):
    assert own(experiment, "time")[2].tolist() == [1, 19, 199, 1999]
    assert own(experiment, "late") is experiment.exclusive("late")
    sums = own_totals(experiment, ["time", "mpi", "late"])
    assert sum(values.sum() for values in sums.values()) == experiment.exclusive("time").sum()


@pytest.mark.parametrize(
    ("level", "labels", "values"),
    [
        ("machine", [("machine",)], [1111]),
        ("node", [("machine", "n0"), ("machine", "n1")], [11, 1100]),
        ("process", [(0,), (1,)], [11, 1100]),
        ("thread", [(0, 0), (0, 1), (1, 0), (1, 1)], [1, 10, 100, 1000]),
    ],
)
def test_the_system_is_closed_at_a_level(level, labels, values, experiment):
    found = by_level(experiment, "time", experiment.exclusive("time"), level)
    assert found[0] == labels
    assert found[1][1].tolist() == values


def test_minima_and_maxima_are_never_added():
    values = np.array([[3.0, np.nan], [1.0, 2.0]])
    assert over_locations(Metric("m", "sec", dtype="MINDOUBLE"), values).tolist() == [3, 1]
    assert over_locations(Metric("m", "sec", dtype="MAXDOUBLE"), values).tolist() == [3, 2]
    made = Builder()
    made.metric("most")
    root = made.call_path("main")
    made.call_path("a", root)
    made.location(0)
    made.row("most", 0, [1.0]).row("most", 1, [7.0])
    most = made.experiment().replaced(metrics=[Metric("most", "sec", dtype="MAXDOUBLE")])
    assert most.inclusive("most").tolist() == [[7], [7]]


@pytest.mark.parametrize(("unit", "additive"), [("1", False), ("%", True), ("bytes/sec", True)])
def test_what_does_not_add_up_has_a_value_only_where_one_stands_alone(unit, additive):
    made = Builder()
    made.metric("rate", unit, additive=additive)
    main = made.call_path("main")
    for parent in (main, made.call_path("work", main)):
        made.call_path("inner", parent)
    for rank in range(2):
        made.location(rank, node=f"n{rank}")
    for path in range(4):
        made.row("rate", path, [path + 1, path + 5])
    rates = made.experiment()
    gone = [np.nan, np.nan]
    np.testing.assert_array_equal(rates.inclusive("rate"), [gone, gone, [3, 7], [4, 8]])
    np.testing.assert_array_equal(flat(rates).exclusive("rate"), [[1, 5], [2, 6], gone])
    np.testing.assert_array_equal(totals(rates, "rate"), [np.nan] * 4)
    assert totals(select(rates, processes=[1]), "rate").tolist() == [5, 6, 7, 8]
    np.testing.assert_array_equal(by_level(rates, "rate", rates.exclusive("rate"), "machine")[1], [[np.nan]] * 4)
    assert by_level(rates, "rate", rates.exclusive("rate"), "node")[1].tolist() == rates.exclusive("rate").tolist()
    assert to_xarray(rates)["rate"].attrs["aggregation"] == "none"


def test_a_missing_value_is_told_from_zero_in_sums():
    values = np.array([[np.nan, 1.0], [np.nan, np.nan], [0.0, 0.0]])
    assert over_locations(Metric("m", "sec"), values).tolist()[::2] == [1, 0]
    assert np.isnan(over_locations(Metric("m", "sec"), values)[1])


def test_a_data_set_of_xarray_has_the_metrics_and_the_names_of_both_axes(experiment):
    data = to_xarray(experiment, ["time", "mpi"])
    assert list(data) == ["time", "mpi"]
    assert data["mpi"].attrs["parent"] == "time"
    assert (
        float(data["time"].sel(location=data.process == 1).sum())
        == totals(select(experiment, processes=[1]), "time").sum()
    )
    assert data["path"].values.tolist()[2] == "work/inner"


def test_a_table_of_pandas_has_a_row_a_call_path_and_location(experiment):
    table = to_pandas(experiment)
    assert list(table.columns) == ["time", "mpi", "late", "visits"]
    assert table.loc[(2, "work/inner", 1, 0), "time"] == 200
    assert len(table) == 24


def test_without_the_libraries_it_is_said_how_to_get_them(experiment, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"this function needs pandas: pip install 'autoanalyzer\[tables\]'"):
        to_pandas(experiment)


def test_a_builder_has_fewer_than_fifteen_methods_and_refuses_what_was_not_defined():
    assert len([name for name in dir(Builder) if not name.startswith("_")]) < 15
    made = Builder()
    made.metric("time")
    path = made.call_path(Region("loop", "loop@3", "a.c", "f"))
    place = made.location(0)
    made.add("time", path, place, 1.5).add("time", path, place, 1.0)
    assert made.experiment().exclusive("time").tolist() == [[2.5]]
    with pytest.raises(InputError, match="metric 'speed' is not defined; defined are time"):
        made.set("speed", path, place, 1.0)
    with pytest.raises(InputError, match=r"expected one value of time per location \(1\), found 2"):
        made.row("time", path, [1.0, 2.0])
    with pytest.raises(
        InputError, match="cannot set a value of call path 4 at location 0: one of the two is not defined"
    ):
        made.set("time", 4, place, 1.0)
    late = made.location(1)
    assert made.set("time", path, late, 4.0).experiment().exclusive("time").tolist() == [[2.5, 4.0]]
    made.location(2)
    assert made.row("time", path, [1.0, 2.0, 3.0]).experiment().exclusive("time").tolist() == [[1.0, 2.0, 3.0]]


def test_a_process_stands_on_one_node():
    made = Builder()
    made.location(0, 0, node="a")
    made.location(0, 1, node="b")
    with pytest.raises(InputError, match="expected process 0 on one node, found this process on two"):
        made.experiment()
