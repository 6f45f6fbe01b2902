"""Section 4 of paper 002, sentence by sentence, as far as it concerns the model.

``4.P.S`` is sentence S of paragraph P. Implementation, source display and related work (2.5 to 2.7, 6) are not part of
the model.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.view.browser import Browser, Sums, at_start, browse, legend, percentages, rows

from ..conftest import DIMENSIONS, FOREIGN, OWN


def node(browser: Browser, name: str) -> int:
    return next(place for place, metric in enumerate(browser.sums.experiment.metrics) if metric.name == name)


def cells(experiment: Experiment, metric: str) -> np.ndarray:
    return experiment.exclusive(metric)


@pytest.fixture
def trace(experiments) -> Browser:
    return browse(experiments["trace"])


@pytest.mark.parametrize("name", [*OWN, *FOREIGN, "rays - rays_dynamic"])
def test_4_1_2_and_3_derived_experiments_are_browsed_like_original_ones(name, experiments):
    browser = at_start(experiments[name])
    assert all(len([*rows(browser, dimension)]) for dimension in DIMENSIONS)


def test_4_2_1_and_4_1_there_are_two_kinds_of_actions_selecting_and_opening_or_closing():
    """Other actions are a switch of 3.2, and unfolding small nodes, which selects nothing and changes no values."""
    actions = {name for name, _ in inspect.getmembers(Browser, inspect.isfunction) if not name.startswith("_")}
    questions = {"pane", "values", "inclusive", "together"}
    assert actions - questions == {"opened", "closed", "selecting", "unfolding"}


def test_4_2_2_and_3_1_all_three_dimensions_are_trees_with_the_same_actions(trace):
    assert type(trace.metrics) is type(trace.program) is type(trace.system)
    for dimension in DIMENSIONS:
        assert trace.opened(dimension, 0).pane(dimension).is_open(0)
        assert not trace.opened(dimension, 0).closed(dimension, 0).pane(dimension).is_open(0)


def test_4_2_3_each_combination_of_metric_and_resource_has_its_value(trace):
    experiment = trace.sums.experiment
    for metric, path in ((0, 3), (5, 40), (11, 129)):
        browser = trace.selecting("metrics", metric).selecting("program", path)
        browser = browser.opened("metrics", metric).opened("program", path)
        browser = browser.opened("system", *range(len(browser.system.tree)))
        shown = browser.values("system")
        assert len(shown) == len(browser.system.tree)
        name = experiment.metrics[metric].name
        expected = cells(experiment, name)[path].copy()
        for part in experiment.parts(name):
            expected -= cells(experiment, part)[path]
        places = browser.system.tree.home
        assert [shown[place].amount for place in places] == pytest.approx(expected, abs=1e-12)


def test_4_2_4_selecting_shows_a_part_of_the_mapping_and_closing_less_detail(trace):
    open_ = trace.opened("program", 0)
    assert len(open_.values("program")) > len(trace.values("program")) == 1
    one, other = (open_.selecting("program", path).values("system")[0] for path in (1, 2))
    assert one != other


def test_4_3_2_and_3_the_call_tree_is_shown_unless_a_flat_profile_is_wanted(experiments):
    experiment = experiments["rays"]
    assert [*browse(experiment).program.tree.parents] == [path.parent for path in experiment.call_paths]
    flat = browse(experiment, flat=True)
    assert set(flat.program.tree.parents) == {None}
    regions = dict.fromkeys(path.region for path in experiment.call_paths)
    assert [*flat.program.tree.labels] == [region.name for region in regions]
    assert len(flat.values("program")) == len(regions) < len(experiment.call_paths)


def test_4_3_4_nodes_are_metrics_call_paths_and_machines_nodes_processes_and_threads(experiments):
    browser = browse(experiments["hybrid"])
    browser = browser.opened("system", *range(len(browser.system.tree)))
    assert len(browser.metrics.tree) == len(browser.sums.experiment.metrics)
    assert len(browser.program.tree) == len(browser.sums.experiment.call_paths)
    assert [browser.system.tree.labels[place] for place in browser.system.shown()] == [
        *("machine", "vm"),
        *("rank 0", "thread 0", "thread 1"),
        *("rank 1", "thread 0", "thread 1"),
    ]


def test_4_3_5_threads_of_single_threaded_processes_are_hidden(experiments):
    tree = browse(experiments["rays"]).system.tree
    assert not any("thread" in label for label in tree.labels)
    assert [tree.labels[place] for place in tree.home] == ["rank 0", "rank 1", "rank 2", "rank 3"]


def test_4_4_2_and_3_a_metric_and_a_call_path_are_selected_at_any_time_and_nothing_depends_on_the_system(trace):
    assert trace.metrics.selected and trace.program.selected and not trace.system.selected
    selected = trace.selecting("system", 1)
    for dimension in DIMENSIONS:
        expected = trace.opened("system", 0) if dimension == "system" else trace
        assert selected.values(dimension) == expected.values(dimension)


def test_4_4_2_what_is_selected_is_shown_even_if_what_includes_it_is_closed(trace):
    below = trace.selecting("program", 40)
    assert 40 in below.values("program")
    closed = below.closed("program", 0)
    assert closed.program.selected == {0}


def test_4_4_4_each_node_has_a_value(trace):
    for dimension in DIMENSIONS:
        assert [*trace.values(dimension)] == [*trace.pane(dimension).shown()]


def test_4_4_5_a_metric_has_the_sum_over_all_call_paths_and_the_entire_system(trace):
    for place, value in trace.values("metrics").items():
        name = trace.sums.experiment.metrics[place].name
        assert value.amount == pytest.approx(cells(trace.sums.experiment, name).sum())
    for action in (trace.selecting("program", 7), trace.selecting("metrics", 0), trace.selecting("system", 0)):
        assert {**trace.values("metrics")}.items() <= {**action.values("metrics")}.items()


def test_4_4_6_a_call_path_has_the_selected_metric_of_the_entire_system(trace):
    browser = trace.selecting("metrics", node(trace, "mpi"))
    browser = browser.opened("program", *range(len(browser.program.tree)))
    expected = cells(trace.sums.experiment, "mpi").sum(axis=1)
    assert [value.amount for value in browser.values("program").values()] == pytest.approx(
        expected[[*browser.program.shown()]]
    )


def test_4_4_7_a_part_of_the_system_has_the_selected_metric_of_the_selected_call_path(trace):
    experiment = trace.sums.experiment
    browser = trace.selecting("metrics", node(trace, "mpi")).selecting("program", 1)
    browser = browser.opened("system", *range(len(browser.system.tree)))
    shown = browser.values("system")
    expected = cells(experiment, "mpi")[[*experiment.walk(1)]].sum(axis=0)
    assert [shown[place].amount for place in browser.system.tree.home] == pytest.approx(expected)


def test_4_4_8_numbers_are_absolute_or_percentages_of_a_maximum(trace):
    absolute = [row.value.amount for row in rows(trace, "program")]
    percent = [row.value.amount for row in rows(trace, "program", "root")]
    assert percent == pytest.approx([100])
    assert absolute == pytest.approx([cells(trace.sums.experiment, "time").sum()])


def test_4_4_9_percentages_are_of_another_experiment_if_that_makes_comparing_easier(experiments):
    before, after = experiments["rays"], experiments["rays_dynamic"]
    browser = browse(after).selecting("metrics", 1)
    found = percentages(browser, "program", Sums(before))[0].amount
    assert found == pytest.approx(100 * cells(after, "wall_time").sum() / cells(before, "wall_time").sum())


def test_4_4_10_values_are_ranked_by_colours(trace):
    browser = trace.opened("program", 0)
    shown = [row for row in rows(browser, "program") if row.state != "open"]
    found = sorted((abs(row.value.amount or 0.0), row.colour) for row in shown)
    assert [colour for _, colour in found] == sorted(colour for _, colour in found)


def test_4_4_11_a_colour_tells_the_size_and_a_relief_the_sign(experiments):
    browser = browse(experiments["rays - rays_dynamic"]).selecting("metrics", 1)
    negative = browse(difference_reversed(experiments)).selecting("metrics", 1)
    browser, negative = (
        each.opened("program", *range(len(each.program.tree))).unfolding("program", 0) for each in (browser, negative)
    )
    opposite = {"raised": "sunken", "sunken": "raised", "flat": "flat", "none": "none"}
    one, other = [*rows(browser, "program")], [*rows(negative, "program")]
    assert [row.colour for row in one] == pytest.approx([row.colour for row in other])
    assert [row.relief for row in one] == [opposite[row.relief] for row in other]
    assert {row.relief for row in one} >= {"raised", "sunken"}


def difference_reversed(experiments: dict[str, Experiment]) -> Experiment:
    found = experiments["rays - rays_dynamic"]
    return found.replaced(severities={each.name: -found.exclusive(each.name) for each in found.metrics})


def test_4_4_12_a_legend_maps_colours_to_numbers_of_what_is_shown(trace):
    absolute, percent = legend(trace, "program"), legend(trace, "program", "root")
    assert absolute is not None
    assert percent is not None
    assert (absolute.unit, percent.unit) == ("sec", "%")
    assert percent.marks(5) == (0, 25, 50, 75, 100)


def test_4_5_1_and_2_what_a_child_shows_is_a_part_of_its_parent(trace):
    mpi = node(trace, "mpi")
    closed = trace.selecting("metrics", mpi)
    for dimension in ("metrics", "program"):
        tree = closed.pane(dimension).tree
        for place in range(len(tree)):
            for child in tree.children[place]:
                held = {*closed.pane(dimension).tree.walk([child])}
                assert held < {*tree.walk([place])}


def test_4_5_3_to_6_an_open_metric_shows_what_its_parts_do_not_and_a_closed_one_all(trace):
    """Synchronisation in collectives, whose parts are waiting at barriers and completing them."""
    whole = node(trace, "mpi_sync_collective")
    experiment = trace.sums.experiment
    closed = trace.selecting("metrics", whole)
    opened = closed.opened("metrics", whole)
    entire = cells(experiment, "mpi_sync_collective").sum()
    parts = sum(cells(experiment, name).sum() for name in ("mpi_barrier_wait", "mpi_barrier_completion"))
    assert closed.values("metrics")[whole].amount == pytest.approx(entire)
    assert opened.values("metrics")[whole].amount == pytest.approx(entire - parts)
    assert closed.values("program")[0].amount == pytest.approx(entire)
    assert opened.values("program")[0].amount == pytest.approx(entire - parts)


def test_4_5_7_selecting_puts_together_across_dimensions_and_closing_within_one(trace):
    experiment = trace.sums.experiment
    two = trace.opened("program", 0).selecting("program", 1, 2)
    each = [two.selecting("program", path).values("system")[0].amount for path in (1, 2)]
    assert two.values("system")[0].amount == pytest.approx(sum(amount or 0.0 for amount in each))
    closed = trace.values("system")[0].amount
    assert closed == pytest.approx(cells(experiment, "time").sum())
