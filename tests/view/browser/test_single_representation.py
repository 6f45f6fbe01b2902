"""Single representation, and on what values depend (paper 002, section 4), after random selections and collapses."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment
from autoanalyzer.view.browser import Browser, Value, browse
from autoanalyzer.view.dump import write_csv

from ..conftest import ALL, DIMENSIONS, FOREIGN, OWN, PARTS_ALONE, wandering
from .reckoning import Reckoning, Seen, system_key


def agree(found: Mapping[object, Value], expected: Mapping[object, Seen], scale: float) -> None:
    assert [*found] == [*expected]
    for node, value in found.items():
        amount, gap = expected[node]
        assert value.gap == gap, (node, value, expected[node])
        assert (value.amount is None) == (amount is None), (node, value, expected[node])
        if value.amount is not None:
            assert math.isclose(value.amount, amount, rel_tol=1e-9, abs_tol=1e-12 * scale), (node, value, amount)


def size(experiment: Experiment) -> float:
    return max(float(np.nansum(np.abs(experiment.exclusive(metric.name)))) for metric in experiment.metrics)


@pytest.mark.parametrize("name", [*ALL, *PARTS_ALONE])
def test_every_value_is_what_the_cells_of_the_experiment_give(name, experiments):
    experiment = experiments[name]
    reckoning, scale = Reckoning(experiment), size(experiments[name])
    for browser in wandering(experiment, seed=17):
        agree(browser.values("metrics"), reckoning.metric_tree(browser), scale)
        agree(browser.values("program"), reckoning.program_tree(browser), scale)
        system = {system_key(browser, node): value for node, value in browser.values("system").items()}
        expected = reckoning.system_tree(browser)
        agree(system, {key: expected[key] for key in system}, scale)
        assert system.keys() == expected.keys()


@pytest.mark.parametrize("name", ALL)
def test_within_a_tree_each_fraction_of_the_severity_is_shown_once(name, experiments):
    """The values shown in a tree add up to those of its closed roots, whichever nodes are open."""
    experiment = experiments[name]
    scale = size(experiment)
    for browser in wandering(experiment, seed=23):
        for dimension in ("program", "system"):
            pane = browser.pane(dimension)
            whole = replace(browser, **{dimension: replace(pane, open=frozenset())}).values(dimension)
            kinds = {experiment.metrics[node].aggregation for node in browser.metrics.selected}
            if kinds == {"sum"} and len({experiment.metrics[node].unit for node in browser.metrics.selected}) == 1:
                shown = total(browser.values(dimension))
                assert math.isclose(shown, total(whole), rel_tol=1e-9, abs_tol=1e-12 * scale)
            elif kinds in ({"min"}, {"max"}) and len(browser.metrics.selected) == 1:
                assert extreme(kinds, browser.values(dimension)) == extreme(kinds, whole)
        for closed, parts in trees_of_sums(browser):
            assert math.isclose(closed, parts, rel_tol=1e-9, abs_tol=1e-12 * scale)


def total(values: Mapping[int, Value]) -> float:
    return math.fsum(value.amount or 0.0 for value in values.values())


def extreme(kinds: set[str], values: Mapping[int, Value]) -> float | None:
    amounts = [value.amount for value in values.values() if value.amount is not None]
    return (min if kinds == {"min"} else max)(amounts, default=None)


def trees_of_sums(browser: Browser) -> Iterator[tuple[float, float]]:
    """Yield for each topmost sum metric that is shown: its value when closed, and the sum of the shown parts."""
    metrics, values = browser.sums.experiment.metrics, browser.values("metrics")
    tree = browser.metrics.tree
    tops: dict[int, int] = {}
    for node in values:
        above = tree.parents[node]
        if metrics[node].aggregation == "sum":
            tops[node] = node if above is None else tops.get(above, node)
    for top in set(tops.values()):
        closed = browser.closed("metrics", top).values("metrics")[top].amount or 0.0
        yield closed, math.fsum(values[node].amount or 0.0 for node in tops if tops[node] == top)


@pytest.mark.parametrize("name", [*OWN, "rays - rays_dynamic", *FOREIGN])
def test_with_all_open_each_number_is_that_of_dump_digit_by_digit(name, experiments):
    experiment = experiments[name]
    names = [metric.name for metric in experiment.metrics]
    said = io.StringIO()
    write_csv(experiment, names, said)
    rows = {int(row["Cnode ID"]): row for row in csv.DictReader(io.StringIO(said.getvalue()))}
    browser = browse(experiment)
    for dimension in ("metrics", "program"):
        browser = browser.opened(dimension, *range(len(browser.pane(dimension).tree)))
    for node, metric in enumerate(experiment.metrics):
        values = browser.selecting("metrics", node).values("program")
        for path, number in enumerate(experiment.numbers):
            amount = values[path].amount
            if amount is None:
                assert rows[number][metric.name] == "nan"
            else:
                digits = f"{amount + 0.0:.12g}" if metric.aggregation in ("min", "max") else f"{amount:.6g}"
                digits = str(int(amount)) if metric.integral and amount.is_integer() else digits
                assert digits == rows[number][metric.name]


def test_where_a_part_was_measured_and_its_whole_was_not_the_rest_is_not_measured(experiments):
    """No number is shown, because the rest would be negative."""
    experiment = experiments["rays"]
    values = {metric.name: experiment.exclusive(metric.name).copy() for metric in experiment.metrics}
    values["wall_time"][:, 3] = np.nan
    browser = browse(experiment.replaced(severities=values))
    wall = next(node for node, metric in enumerate(experiment.metrics) if metric.name == "wall_time")
    browser = browser.selecting("metrics", wall).opened("metrics", wall).opened("system", 0, 1)
    assert browser.values("metrics")[wall].gap == "partial"
    shown = browser.values("system")
    assert [shown[node].gap for node in range(6)] == ["", "", "", "", "", "not measured"]
    assert shown[5].amount is None


@pytest.mark.parametrize("name", ALL)
def test_what_is_selected_is_always_shown(name, experiments):
    for browser in wandering(experiments[name], seed=29):
        for dimension in DIMENSIONS:
            pane = browser.pane(dimension)
            assert pane.selected <= {*pane.shown()}


def test_of_nested_nodes_that_are_closed_at_once_the_outermost_is_selected(experiments):
    browser = browse(experiments["rays"])
    deepest = int(np.argmax(browser.program.tree.depths))
    parent, *_, root = browser.program.tree.ancestors(deepest)
    assert browser.selecting("program", deepest).closed("program", root, parent).program.selected == {root}


def test_a_state_is_never_changed_by_an_action(experiments):
    before = browse(experiments["trace"])
    values = dict(before.values("program"))
    before.opened("program", 0).selecting("metrics", 2).values("program")
    assert before.values("program") == values
    assert before.program.open == frozenset()


def test_at_least_one_metric_and_one_node_of_the_program_are_selected(experiments):
    browser = browse(experiments["rays"])
    for dimension in ("metrics", "program"):
        with pytest.raises(InputError, match=f"at least one {dimension} node"):
            browser.selecting(dimension)
    assert not browser.selecting("system").system.selected


def test_a_node_that_is_not_there_is_refused(experiments):
    with pytest.raises(InputError, match="expected a node from 0 to 27, found 28"):
        browse(experiments["rays"]).opened("metrics", 28)


def test_values_are_the_same_in_blocks_of_one_row(monkeypatch, experiments):
    whole = browse(experiments["trace"])
    expected = whole.values("system")
    monkeypatch.setattr("autoanalyzer.view.browser.sums._CELLS", 1)
    by_rows = browse(experiments["trace"]).values("system")
    assert by_rows == expected
