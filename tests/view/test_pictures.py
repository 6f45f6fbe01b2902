"""Pictures of statistics: their contents, for any number of points and metrics."""

from dataclasses import replace

import numpy as np
import pytest
from lxml import etree

from autoanalyzer.experiment import Builder
from autoanalyzer.multivariate.correlation import correlation
from autoanalyzer.multivariate.factors import factors
from autoanalyzer.multivariate.hierarchy import hierarchy
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.membership import grid_of, membership
from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.multivariate.pca import pca
from autoanalyzer.view.account import COLOURS
from autoanalyzer.view.picture import picture_html
from autoanalyzer.view.statistics import (
    correlation_report,
    factors_report,
    hierarchy_report,
    kmeans_report,
    membership_report,
    pca_report,
)


def _space(points: int, metrics: int) -> MetricSpace:
    drawn = np.random.default_rng(2)
    half = (np.arange(points) >= points // 2).astype(float)
    return MetricSpace.of_columns(
        {f"m{each}": 1 + half * (each % 2) + 0.1 * drawn.standard_normal(points) for each in range(metrics)},
        [Point(rank) for rank in range(points)],
    )


def _map(space: MetricSpace):
    made = Builder()
    made.metric("visits", "occ")
    made.call_path("main")
    for point in space.points:
        made.location(point.process)
    return membership_report(membership(hierarchy(space), grid_of(made.experiment())))


REPORTS = {
    "correlation": lambda space: correlation_report(correlation(space)),
    "hierarchy": lambda space: hierarchy_report(hierarchy(space)),
    "kmeans": lambda space: kmeans_report(kmeans(space)),
    "factors": lambda space: factors_report(factors(space)),
    "pca": lambda space: pca_report(pca(space)),
    "map": _map,
}


@pytest.mark.parametrize("size", [(2, 3), (4, 5), (70, 20), (1100, 8), (3000, 8)], ids=str)
@pytest.mark.by_day(size=[(2, 3), (1100, 8)])
@pytest.mark.parametrize("name", REPORTS)
def test_pictures_are_whole_html_of_bounded_size(name, size):
    for picture in REPORTS[name](_space(*size)).pictures():
        text = picture_html(picture)
        assert etree.fromstring(text).tag == "section"
        assert "nan" not in text
        assert "style=" not in text
        assert len(text) < 2_000_000


def test_what_is_drawn_over_the_tasks_is_each_location_in_the_colour_of_its_cluster():
    space = _space(16, 4)
    found = kmeans(space, clusters=2)
    picture = next(each for each in kmeans_report(found).pictures() if each.title.startswith("Metrics of each task"))
    first, second = picture.marks[0].series
    assert [first.x, second.x] == [[*range(8)], [*range(8, 16)]]
    assert [first.name, second.name] == ["1: ranks 0-7", "2: ranks 8-15"]
    assert (first.colour, second.colour) == (0, 1)
    assert first.y == space.values[:8, space.metrics.index(first.said[0].split()[1])].tolist()


def test_axes_have_units_and_those_of_ranks_whole_numbers():
    space = replace(_space(8, 3), units={"m0": "sec", "m1": "bytes", "m2": "occ"})
    picture = next(each for each in correlation_report(correlation(space)).pictures() if "Scatterplots" in each.title)
    titles = {axis.title for chart in picture.marks for axis in (chart.x, chart.y)}
    assert titles <= {"m0 (sec)", "m1 (bytes)", "m2 (occ)"}
    report = kmeans_report(kmeans(space, clusters=2))
    tasks = next(each for each in report.pictures() if each.title.startswith("Metrics of each task"))
    assert (tasks.marks[0].x.title, tasks.marks[0].x.whole) == ("rank", True)


def test_f_ratios_are_drawn_from_the_largest_down_an_infinite_one_first():
    points = np.arange(8) // 4
    columns = {"low": points + np.tile([0, 0.4], 4), "sure": points, "high": points + np.tile([0, 0.01], 4)}
    space = MetricSpace.of_columns({name: np.array(each, float) for name, each in columns.items()}, _space(8, 1).points)
    report = kmeans_report(kmeans(space, clusters=2))
    bars = report.pictures()[0].marks[0]
    assert [bar.name for bar in bars.rows] == ["sure", "high", "low"]
    assert bars.rows[0].said == ["∞"]
    assert [row[0] for row in report.tables[1].rows] == ["sure", "high", "low"]
    assert report.tables[1].rows[0][1] == "inf"


def test_labels_are_short_and_whole_names_are_there_when_pointed_at():
    name = f"PAPI_{'very_' * 8}long_name"
    columns = {name: np.arange(6.0), "other": np.arange(6.0) ** 3}
    space = MetricSpace.of_columns(columns, _space(6, 1).points)
    for report in (kmeans_report(kmeans(space, clusters=2)), correlation_report(correlation(space))):
        section = etree.fromstring(picture_html(report.pictures()[0]))
        labels = [each for each in section.iter("th") if each.get("title") == name]
        assert labels
        assert max(len("".join(each.itertext())) for each in labels) <= 24


@pytest.mark.parametrize(("points", "leaves"), [(2, 2), (4, 4), (64, 64), (65, 64), (3_000, 64)])
def test_a_dendrogram_has_no_more_leaves_than_can_be_read(points, leaves):
    report = hierarchy_report(hierarchy(_space(points, 3), method="single"))
    ticks = report.pictures()[0].marks[0].x.names
    counted = [int(each.strip("()")) if each.startswith("(") else 1 for each in ticks]
    assert (len(ticks), sum(counted)) == (leaves, points)
    said = report.pictures()[0].marks[0].series[-1].said
    assert [" (within a distance of " in each for each in said] == [count > 1 for count in counted]


def test_a_page_of_many_locations_draws_some_of_them_the_extremes_among_them():
    space = _space(20_000, 4)
    report = pca_report(pca(space, clusters=2))
    drawn = [label for series in report.pictures()[0].marks[0].series for label in series.said]
    assert 1000 < len(drawn) < 4000
    assert {str(space.labels[row]) for row in space.values.argmax(axis=0)} <= set(drawn)
    assert f"{len(drawn)} of 20000 locations are drawn." in report.pictures()[0].sentences


def test_a_tree_of_a_sample_says_so_and_what_is_far_from_it():
    space = _space(10_050, 3)
    values = space.values.copy()
    values[17] = 1e3
    columns = dict(zip(space.metrics, values.T, strict=True))
    found = hierarchy(MetricSpace.of_columns(columns, space.points), scale="none", clusters=2)
    assert (found.sampled, len(found.sample)) == (True, 2000)
    if 17 not in found.sample:
        assert 17 in found.far
        assert any("far from every location in the sample" in each for each in hierarchy_report(found).sentences)


def test_parts_of_the_account_that_may_occur_together_have_different_colours():
    instead = {"computing", "io", "mpi", "off"}  # these replace instructions, and parts of file I/O and MPI
    colours = [colour for part, colour in COLOURS.items() if part not in instead]
    assert len(set(colours)) == len(colours)
