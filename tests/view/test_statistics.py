"""Statements of statistics: sentences and tables that are right for all signs, sizes and numbers."""

import re

import numpy as np
import pytest

from autoanalyzer.multivariate.correlation import correlation
from autoanalyzer.multivariate.hierarchy import hierarchy
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.multivariate.partition import Partition, recursively
from autoanalyzer.multivariate.pca import pca
from autoanalyzer.view.statistics import (
    correlation_report,
    hierarchy_report,
    kmeans_report,
    nested_report,
    pca_report,
)
from autoanalyzer.view.statistics.clusters import differences, f_ratio_table, table
from autoanalyzer.view.statistics.profile import profile_picture


def _space(**columns) -> MetricSpace:
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    return MetricSpace.of_columns(arrays, [Point(rank) for rank in range(len(next(iter(arrays.values()))))])


@pytest.mark.parametrize(
    ("own", "others", "said"),
    [
        (1.5, 1.0, "m 50 % above 1"),
        (1.0, 1.5, "m 33 % below 1.5"),
        (1.99, 1.0, "m 99 % above 1"),
        (1.996, 1.0, "m 2 times 1"),
        (2.5, 1.0, "m 2.5 times 1"),
        (20.0, 1.0, "m 20 against 1"),
        (-1.5, -1.0, "m -1.5 against -1"),
        (-1.0, -1.5, "m -1 against -1.5"),
        (-1.0, 1.0, "m -1 against 1"),
        (1.0, 0.0, "m 1 against 0"),
        (-1.00000001, -1.0, "m -1.00000001 against -1"),
    ],
)
def test_a_difference_is_told_as_it_is(own, others, said):
    space = _space(m=[own, own, others, others])
    assert differences(space, Partition.of(space, [0, 0, 1, 1], space.scaled()), 0) == said


def test_a_cluster_in_the_middle_has_nothing_of_its_own():
    space = _space(m=[1.0, 1, 2, 2.0001, 3, 3])
    assert (
        differences(space, Partition.of(space, [0, 0, 1, 1, 2, 2], space.scaled()), 1) == "no difference that matters"
    )


def _noise(points: int, metrics: int) -> MetricSpace:
    drawn = np.random.default_rng(0).standard_normal((metrics, points))
    return _space(**{f"m{each}": column for each, column in enumerate(drawn)})


def test_sentences_lead_with_what_matters_in_seconds():
    drawn = np.random.default_rng(1)
    upper = np.arange(16) >= 8
    space = MetricSpace.of_columns(
        {
            "wall_time": 1.8 + 0.001 * drawn.standard_normal(16),
            "io_time": np.where(upper, 84e-6, 0.0),
            "cpu_time": np.where(upper, 1.5, 0.5) + 0.05 * drawn.standard_normal(16),
        },
        [Point(rank) for rank in range(16)],
        units=dict.fromkeys(("wall_time", "io_time", "cpu_time"), "sec"),
    )
    for report in (kmeans_report(kmeans(space)), hierarchy_report(hierarchy(space))):
        assert report.sentences[1].startswith("The clusters differ most in cpu_time (F = ")
        assert (
            ", ranks 8-15: cpu_time 2.93 times 505 ms. Among these, rank 14 has the largest value: 1.61 s."
            in report.sentences[1]
        )
        assert not any("io_time" in each for each in report.sentences)
        assert report.tables[1].rows[0][:2] == ("io_time", "inf")


def test_of_clusters_that_do_not_matter_it_is_said_what_does():
    spread = np.linspace(1.0, 2.0, 16)[np.random.default_rng(0).permutation(16)]
    space = _space(work=spread, **{f"m{each}": np.where(np.arange(16) == 3, 1.008, 1.0) for each in range(4)})
    said = kmeans_report(kmeans(space)).sentences
    assert said[1].startswith(
        "No difference between the clusters matters (limits: 10 % of the larger value; for times, also 10 ms"
    )
    assert said[1].endswith("Locations differ regardless of the clusters: work from 1 on rank 4 to 2 on rank 15.")
    assert len(said) == 2


def test_of_no_clusters_no_more_is_said_than_that():
    for report in (hierarchy_report(hierarchy(_noise(40, 5))), kmeans_report(kmeans(_noise(40, 5)))):
        assert "treat the locations as one group" in report.sentences[0]
        assert len(report.sentences) == 2
        assert report.tables == []
    (_, cut) = hierarchy_report(hierarchy(_noise(40, 5))).sentences
    assert cut.startswith("The best cut, at ")  # no cut is made


def test_a_cut_that_leaves_all_locations_apart_has_no_next_merge():
    space = _noise(12, 3)
    apart = hierarchy_report(hierarchy(space, clusters=12)).sentences
    assert "next merge" not in apart[0]
    assert re.match(r"Cluster \d+, rank \d+, compared with the others: m", apart[1])
    assert len(apart) == 2
    assert "next merge is" in hierarchy_report(hierarchy(space, clusters=3)).sentences[1]


def test_chance_is_told_of_all_pairs_together():
    said = correlation_report(correlation(_noise(7, 30))).sentences[-1]
    assert "With 7 locations, chance alone would make 0.45 of 435 pairs of unrelated metrics redundant" in said
    assert len(correlation_report(correlation(_noise(30, 30))).sentences) == 1


def test_one_is_said_as_one():
    column = np.arange(12.0) ** 2
    said = correlation_report(correlation(_space(a=column, b=2 * column))).sentences
    assert said[0].startswith("2 metrics of 12 locations form 1 group: a represents 1 other (b; |r|")


def test_what_is_cut_says_so():
    values = np.repeat(np.arange(34.0), 3)
    noise = 0.01 * np.random.default_rng(0).standard_normal((45, len(values)))
    space = _space(**{f"m{each}": values + row for each, row in enumerate(noise)})
    partition = Partition.of(space, values.astype(int), space.scaled())
    assert table(space, partition).title.endswith("; 30 of 34 clusters")
    assert len(table(space, partition).rows) == 30
    assert f_ratio_table(space, partition).title.endswith("; 8 of 34 clusters; 12 of 45 metrics")
    assert profile_picture(space, partition).sentences == ["30 of 34 clusters and 40 of 45 metrics are drawn."]
    assert pca_report(pca(space, clusters=34)).sentences[-2].endswith("; 30 more.")
    few = _noise(12, 5)
    assert profile_picture(few, Partition.of(few, np.arange(12) // 4, few.scaled())).sentences == []


def test_parts_say_what_is_dropped_in_them_and_what_has_no_result():
    drawn = np.random.default_rng(1).standard_normal(12)
    space = _space(a=[1] * 6 + [5] * 6, b=[1] * 6 + [*(9 + 0.5 * drawn[:6])], same=[3] * 12)
    whole = recursively(space, kmeans, lambda _, found: found.partition)
    report = nested_report(whole, kmeans_report)
    assert [each for each in report.sentences if "ropped" in each] == [
        "Dropped: same (constant: 3).",
        "Within cluster 2: Dropped: a (constant: 5).",
    ]
    assert any(each.startswith("Cluster 1 is not analysed: need a metric that differs") for each in report.sentences)
    assert list(report.document["without"]) == ["1"]
    assert [each["path"] for each in report.document["within"]] == [[2]]
    alone = nested_report(recursively(_noise(40, 5), kmeans, lambda _, found: found.partition), kmeans_report)
    assert alone.sentences[-1].startswith(
        "Clusters are not analysed further: splitting needs a silhouette of at least 0.5, found 0."
    )


def test_beside_a_verdict_clusters_say_that_they_are_others_and_not_what_to_take_locations_for():
    for space in (_noise(40, 5), _noise(5, 2), _space(work=[1.0, 1.001, 1.002, 1.003])):
        (which, *beside), alone = (hierarchy_report(hierarchy(space), by).sentences for by in ("compute_time", ""))
        assert which.endswith("of the program; the verdict's clusters, on compute_time over all regions.")
        assert "reat the" in alone[0]
        assert "reat the" not in " ".join(beside)
        assert not any(re.search(r"(?<!stats )-(-[a-z]|k\b)", each) for each in (*beside, *alone))
