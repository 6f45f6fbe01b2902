"""Values in percent of the root, of the selection, or of another experiment."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.view.browser import Browser, Sums, Value, browse, percentages

from ..conftest import ALL, FOREIGN, OWN, wandering


def whole(experiment: Experiment, browser: Browser, nodes: list[int]) -> float | None:
    """Return the sum of the metrics' roots over the program, each counted once; None if no such sum exists."""
    chosen = [browser.sums.experiment.metrics[node] for node in nodes]
    if {each.aggregation for each in chosen} != {"sum"} or len({each.unit for each in chosen}) > 1:
        return None
    roots = set()
    for each in chosen:
        metric = each
        while metric.parent is not None:
            metric = browser.sums.experiment.metric(metric.parent)
        if metric.aggregation != "sum" or metric.name not in experiment:
            return None
        roots.add(metric.name)
    return sum(float(np.nansum(experiment.exclusive(name))) for name in roots)


@pytest.mark.parametrize("name", ALL)
def test_percentages_of_the_root_and_of_another_experiment_are_those_of_the_cells(name, experiments):
    experiment = experiments[name]
    others = {"root": experiment, Sums(experiments["rays"]): experiments["rays"]}
    for browser in wandering(experiment, seed=31):
        selected = [*browser.metrics.selected]
        for basis, of in others.items():
            for dimension in ("metrics", "program", "system"):
                found = percentages(browser, dimension, basis)
                for node, value in browser.values(dimension).items():
                    total = whole(of, browser, [node] if dimension == "metrics" else selected)
                    agree(found[node], value, total)


def agree(found: Value, value: Value, total: float | None) -> None:
    if value.amount is None:
        assert found == value
    elif not total:
        assert found == Value(None, "no share")
    else:
        assert found.amount is not None
        assert math.isclose(found.amount, 100 * value.amount / abs(total), rel_tol=1e-9, abs_tol=1e-9)
        assert found.gap in (value.gap, "partial")


@pytest.mark.parametrize("name", [*OWN, *FOREIGN])
def test_percentages_of_the_selection_are_100_together(name, experiments):
    for browser in wandering(experiments[name], seed=37):
        for dimension in ("program", "system"):
            found = [value.amount for value in percentages(browser, dimension, "selection").values()]
            if None not in found:
                moved = math.fsum(map(abs, found))
                assert math.isclose(abs(math.fsum(found)), 100, rel_tol=1e-9 * max(1.0, moved))


@pytest.mark.parametrize("name", [*OWN, *FOREIGN])
def test_percentages_of_a_metric_s_root_are_100_together(name, experiments):
    for browser in wandering(experiments[name], seed=41):
        found = percentages(browser, "metrics", "root")
        for root in browser.metrics.tree.roots:
            below = {*browser.metrics.tree.walk([root])}
            shown = [found[node].amount for node in found if node in below]
            if None not in shown:
                assert math.isclose(math.fsum(shown), 100, rel_tol=1e-9)


def test_a_difference_is_shown_in_percent_of_the_first_experiment(experiments):
    """Gains are positive, losses negative, in percent of the execution time before."""
    before, after = experiments["rays"], experiments["rays_dynamic"]
    browser = browse(experiments["rays - rays_dynamic"])
    found = percentages(browser, "metrics", Sums(before))
    for node, metric in enumerate(browser.sums.experiment.metrics):
        if node in found:
            old, new = (float(np.nansum(each.exclusive(metric.name))) for each in (before, after))
            expected = Value(None, "no share") if not old else Value(100 * (old - new) / old)
            assert found[node].gap == expected.gap
            if expected.amount is not None:
                assert math.isclose(found[node].amount or 0.0, expected.amount, rel_tol=1e-9, abs_tol=1e-9)


def test_the_sign_is_that_of_the_value_where_the_whole_is_negative(experiments):
    """A part that became faster stays positive although the whole became slower."""
    first = experiments["rays"]
    wall = first.exclusive("wall_time").copy()
    wall[0], wall[1:] = -100, 1
    browser = browse(first.replaced(severities={m.name: wall for m in first.metrics})).opened("program", 0)
    shares = percentages(browser, "program", "root")
    assert {node: np.sign(value.amount) for node, value in shares.items()} == {
        node: np.sign(value.amount) for node, value in browser.values("program").items()
    }


def test_minima_and_metrics_that_do_not_add_up_have_no_share(experiments):
    profile = experiments["profile"]
    node = next(place for place, metric in enumerate(profile.metrics) if metric.name == "min_time")
    browser = browse(profile).selecting("metrics", node)
    assert percentages(browser, "program", "root")[0] == Value(None, "no share")
    assert percentages(browser, "metrics", "root")[node] == Value(None, "no share")


def test_a_metric_that_the_other_experiment_lacks_has_no_share_of_it(experiments):
    browser = browse(experiments["rays"])
    assert {*percentages(browser, "metrics", Sums(experiments["example"])).values()} == {Value(None, "no share")}
