"""Rows: folding, colours, relief, and which nodes are open at the start."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.view.browser import Browser, Legend, Sums, Value, at_start, browse, hottest_path, legend, relief, rows
from autoanalyzer.view.browser.written import written

from ..conftest import ALL, DIMENSIONS, OF_PROCESSES, wandering


def program(parents: list[int | None], values: list[float]) -> Browser:
    """Return a browser of one metric on one rank, with these exclusive values of call paths."""
    regions = [Region("function", f"f{index}", "a.c", f"f{index}") for index in range(len(parents))]
    return browse(
        Experiment(
            metrics=[Metric("time", "sec")],
            call_paths=[CallPath(region, parent) for region, parent in zip(regions, parents, strict=True)],
            locations=[Location("m", "n", 0)],
            severities={"time": np.array(values)[:, None]},
        )
    )


@pytest.mark.parametrize("name", ALL)
def test_each_shown_node_is_in_one_row_and_each_part_of_a_value_in_one(name, experiments):
    for browser in wandering(experiments[name], seed=43):
        for dimension in DIMENSIONS:
            found = [*rows(browser, dimension)]
            values = browser.values(dimension)
            assert sorted(node for row in found for node in row.nodes) == sorted(values)
            for row in found:
                if len(row.nodes) == 1:
                    assert row.value == values[row.nodes[0]]
                elif row.value.amount is not None:
                    amounts = [values[node].amount or 0.0 for node in row.nodes]
                    scale = 1e-12 * max(map(abs, amounts))
                    assert math.isclose(row.value.amount, math.fsum(amounts), rel_tol=1e-9, abs_tol=scale)


@pytest.mark.parametrize("name", ALL)
def test_what_is_folded_is_closed_not_selected_and_small(name, experiments):
    for browser in wandering(experiments[name], seed=47):
        for dimension in DIMENSIONS:
            pane = browser.pane(dimension)
            for row in rows(browser, dimension, "root"):
                if row.state != "folded":
                    continue
                assert dimension != "system"
                assert len(row.nodes) > 1
                assert row.label == f"{len(row.nodes)} more"
                assert not pane.selected.intersection(row.nodes)
                assert not any(map(pane.is_open, row.nodes))
                assert len({pane.tree.parents[node] for node in row.nodes}) == 1


@pytest.mark.parametrize("name", ALL)
def test_colours_lie_on_the_legend_and_reliefs_are_signs(name, experiments):
    for browser in wandering(experiments[name], seed=53):
        for dimension in DIMENSIONS:
            for row in rows(browser, dimension, "selection"):
                assert row.colour is None or 0 <= row.colour <= 1
                amount = row.value.amount
                if amount is None:
                    assert (row.relief, row.colour) == ("none", None)
                else:
                    seen = written(row.value, row.unit)[1]
                    assert seen in (0, int(np.sign(amount)))
                    assert row.relief == {1: "raised", -1: "sunken", 0: "flat"}[seen]


def test_an_open_node_keeps_the_colour_that_it_had_when_closed(experiments):
    browser = browse(experiments["rays"]).selecting("metrics", 1)
    for dimension in ("program", "system"):
        closed = next(rows(browser, dimension)).colour
        opened = next(rows(browser.opened(dimension, 0), dimension))
        assert (opened.state, opened.colour) == ("open", closed)
        assert opened.part < opened.colour


def test_metrics_of_one_unit_share_a_scale(experiments):
    found = {row.label: row.colour for row in rows(browse(experiments["rays"]), "metrics")}
    assert found["wall_time"] == 1
    assert 0 < found["cpu_time"] < found["program_time"] < 1
    assert found["io_bytes"] < found["mpi_bytes"] == 1


def test_a_metric_of_whole_processes_has_its_value_on_each_rank_whatever_call_path_is_selected(experiments):
    browser = browse(experiments[OF_PROCESSES]).selecting("metrics", 2).opened("system", 0, 1, 3)
    for path in (0, 1):
        found = {row.label: row.value.amount for row in rows(browser.selecting("program", path), "system")}
        assert (found["rank 0"], found["thread 0"]) == (5, 7)


def test_small_nodes_are_folded_last_below_their_parent_until_it_is_unfolded():
    browser = program([None, 0, 0, 0], [100.0, 0.2, 50.0, 0.1]).opened("program", 0)
    assert [(row.label, row.depth) for row in rows(browser, "program")] == [("f0", 0), ("f2", 1), ("2 more", 1)]
    assert [row.value.amount for row in rows(browser, "program")] == pytest.approx([100, 50, 0.3])
    unfolded = browser.unfolding("program", 0)
    assert [row.label for row in rows(unfolded, "program")] == ["f0", "f1", "f2", "f3"]


def test_a_small_node_alone_is_not_folded():
    browser = program([None, 0, 0], [100.0, 0.2, 50.0]).opened("program", 0)
    assert [row.label for row in rows(browser, "program")] == ["f0", "f1", "f2"]


def test_half_a_percent_is_not_small():
    browser = program([None, 0, 0, 0], [99.0, 0.5, 0.5, 0.0]).opened("program", 0)
    assert [row.label for row in rows(browser, "program")] == ["f0", "f1", "f2", "f3"]


def test_gains_and_losses_that_cancel_each_other_out_are_not_folded():
    browser = program([None, 0, 1, 0, 0], [50.0, 20.0, -20.0, 0.1, 0.1]).opened("program", 0)
    assert [row.label for row in rows(browser, "program")] == ["f0", "f1", "2 more"]


def forest(metrics: list[Metric], values: list[float]) -> Browser:
    """Return a browser of one value per metric on one rank; the first metric is open."""
    experiment = program([None], [0.0]).sums.experiment
    severities = {each.name: np.array([[value]]) for each, value in zip(metrics, values, strict=True)}
    return browse(experiment.replaced(metrics=metrics, severities=severities)).opened("metrics", 0)


def test_of_metrics_neither_a_part_that_is_large_nor_what_does_not_add_up_is_folded():
    """This holds even if the including metric is small, because a gain and a loss cancel each other out."""
    metrics = [
        Metric("time", "sec"),
        Metric("zero", "sec", "time"),
        Metric("gain", "sec", "zero"),
        Metric("tiny", "sec", "time"),
        Metric("least", "sec", "time", dtype="MINDOUBLE"),
        Metric("small", "sec", "time"),
        Metric("parent", "sec", "time"),
        Metric("most", "sec", "parent", dtype="MAXDOUBLE"),
    ]
    shown = [row.label for row in rows(forest(metrics, [100, 0, 40, 0.1, 0.1, 0.1, 0.1, 0.1]), "metrics")]
    assert shown == ["time", "zero", "least", "parent", "2 more"]


def test_of_many_ranks_none_is_folded():
    experiment = Experiment(
        metrics=[Metric("time", "sec")],
        call_paths=[CallPath(Region("function", "main", "a.c", "main"))],
        locations=[Location("m", "n", rank) for rank in range(1000)],
        severities={"time": np.ones((1, 1000))},
    )
    browser = browse(experiment).opened("system", 0, 1)
    assert len([*rows(browser, "system")]) == 1002


def test_a_value_that_was_not_measured_has_neither_colour_nor_relief_and_0_has():
    assert relief(Value(None, "not measured"), "sec") == "none"
    assert Legend(2.0, "sec").place(Value(None, "not measured")) is None
    assert relief(Value(0.0), "sec") == "flat"
    assert Legend(2.0, "sec").place(Value(0.0)) == 0.0


def test_a_legend_goes_from_0_to_the_whole_in_the_unit_that_is_shown(experiments):
    browser = browse(experiments["rays"]).selecting("metrics", 1)
    wall = float(experiments["rays"].exclusive("wall_time").sum())
    found = legend(browser, "program")
    assert found is not None
    assert found.unit == "sec"
    assert found.marks(3) == pytest.approx((0, wall / 2, wall))
    assert legend(browser, "program", "root") == Legend(100.0, "%")


def test_a_legend_reaches_the_largest_value_where_that_is_more_than_the_whole():
    browser = program([None, 0, 0], [1.0, 500.0, -400.0]).opened("program", 0)
    assert legend(browser, "program") == Legend(500.0, "sec")
    assert [row.colour for row in rows(browser, "program")] == pytest.approx([0.202, 1, 0.8])


def test_minima_are_compared_with_the_largest_of_them_and_stay_absolute(experiments):
    profile = experiments["profile"]
    node = next(place for place, metric in enumerate(profile.metrics) if metric.name == "max_time")
    browser = browse(profile).selecting("metrics", node).opened("program", 0)
    found = [*rows(browser, "program", "root")]
    assert {row.unit for row in found} == {"sec"}
    assert max(row.colour for row in found if row.colour is not None) == 1
    assert all(row.state != "folded" for row in found)


def test_colours_of_metrics_that_do_not_add_up_are_not_compared_in_the_metric_tree(experiments):
    profile = experiments["profile"]
    found = {row.label: row.colour for row in rows(browse(profile), "metrics")}
    kinds = {metric.display or metric.name: metric.aggregation for metric in profile.metrics}
    assert {label for label, colour in found.items() if colour is None} == {
        label for label, kind in kinds.items() if kind != "sum"
    }


def test_the_hottest_path_goes_on_while_a_child_has_more_than_the_node_itself():
    browser = program([None, 0, 0, 2, 3, 2], [1.0, 30.0, 5.0, 40.0, 10.0, 3.0])
    assert hottest_path(browser, "program") == [0, 2, 3]


def test_the_hottest_path_ends_where_a_node_has_as_much_as_its_largest_child():
    assert hottest_path(program([None, 0, 1], [1.0, 20.0, 20.0]), "program") == [0, 1]


def test_at_the_start_the_end_of_the_hottest_path_is_selected_and_time_is(experiments):
    browser = at_start(experiments["rays"])
    assert [browser.sums.experiment.metrics[node].name for node in browser.metrics.selected] == ["wall_time"]
    (selected,) = browser.program.selected
    assert browser.sums.experiment.path_name(selected) == "follow/work/loop@47/propagate/loop@28"
    assert browser.program.open == {*browser.program.tree.ancestors(selected)}
    assert [row.label for row in rows(browser, "system")][2:] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert not browser.metrics.open


def test_at_the_start_a_root_that_takes_longest_by_itself_is_open():
    browser = at_start(program([None, 0, 0], [20.0, 3.0, 2.0]).sums.experiment)
    assert (browser.program.selected, browser.program.open) == ({0}, {0})


def test_what_is_known_of_whole_processes_alone_is_not_0_elsewhere(experiments):
    browser = browse(experiments[OF_PROCESSES]).opened("program", 0).opened("system", 0, 1, 3)
    browser = browser.selecting("metrics", 1)
    assert browser.sums.experiment.metrics[1].name == "page_faults"
    assert browser.values("metrics")[1] == Value(12.0)
    elsewhere = Value(None, "per rank")
    assert browser.values("program") == {0: Value(12.0), 1: elsewhere}
    labels, nothing = browser.system.tree.labels, {"machine": Value(0.0), "node": Value(0.0), "rank 1": Value(0.0)}
    shown = {labels[node]: value for node, value in browser.values("system").items()}
    assert shown == {**nothing, "rank 0": Value(5.0), "thread 0": Value(7.0), "thread 1": elsewhere}
    below = browser.selecting("program", 1)
    shown = {labels[node]: value for node, value in below.values("system").items()}
    assert shown == {**nothing, "rank 0": Value(5.0), "thread 0": Value(7.0), "thread 1": elsewhere}


def test_where_nothing_adds_up_the_first_node_is_selected():
    first = program([None, 0], [1.0, 2.0]).sums.experiment
    ratio = Metric("rate", "1/sec")
    browser = at_start(first.replaced(metrics=[ratio], severities={"rate": first.exclusive("time")}))
    assert browser.program.selected == {0}
    assert hottest_path(browser, "metrics") == []


def test_what_is_folded_is_in_percent_of_another_experiment_too(experiments):
    browser = program([None, 0, 0, 0], [100.0, 0.2, 50.0, 0.1]).opened("program", 0)
    twice = program([None], [300.6]).sums.experiment
    shown = [row.value.amount for row in rows(browser, "program", Sums(twice))]
    assert shown == pytest.approx([100 / 3.006, 50 / 3.006, 0.3 / 3.006])
