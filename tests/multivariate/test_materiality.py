"""Which differences matter, even if others separate the clusters better."""

from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.multivariate.hierarchy import hierarchy
from autoanalyzer.multivariate.kmeans import kmeans
from autoanalyzer.multivariate.materiality import matters, separating, telling
from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.multivariate.partition import Partition


def _space(seconds=(), **columns) -> MetricSpace:
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    points = [Point(rank) for rank in range(len(next(iter(arrays.values()))))]
    return MetricSpace.of_columns(arrays, points, units=dict.fromkeys(seconds, "sec"))


def _named(space, columns) -> list[str]:
    return [space.metrics[column] for column in columns]


def _of_halves(space) -> Partition:
    return Partition.of(space, np.arange(len(space.points)) // (len(space.points) // 2), space.scaled())


@pytest.mark.parametrize(("less", "said"), [(0.901, False), (0.899, True), (-1.0, True)])
def test_a_count_matters_by_a_tenth_of_the_larger(less, said):
    space = _space(m=[less, 1.0])
    assert bool(matters(space, *space.values)) == said


@pytest.mark.parametrize(
    ("longest", "less", "said"),
    [
        (0.05, 0.0101, True),  # more than the resolution of clocks and schedulers
        (0.05, 0.0099, False),
        (3.0, 0.031, True),  # more than a hundredth of the longest time
        (3.0, 0.029, False),
    ],
)
def test_a_time_matters_by_what_it_is_of_the_longest_however_large_relatively(longest, less, said):
    space = _space(["wall_time", "io_time"], wall_time=[longest, longest], io_time=[less, 0.0])
    assert space.metrics == ("io_time",)  # the longest time is the same on both
    assert bool(matters(space, *space.values)) == said


@pytest.mark.parametrize(("most", "said"), [(190.0, True), (210.0, False)])
def test_a_count_matters_by_a_hundredth_of_what_a_location_has_in_the_program(most, said):
    """One miss and three misses are no difference that matters among 5,000 in the whole program."""
    space = replace(_space(m=[1.0, 3.0]), wholes={"m": most})
    assert bool(matters(space, *space.values)) == said


def test_times_come_before_all_else_and_the_widest_first():
    space = _space(["a", "b"], few=[1.0, 9.0], a=[1.0, 1.2], b=[3.0, 3.5], many=[1.0, 2.0], alike=[1.0, 1.01])
    assert _named(space, matters(space, *space.values)) == ["b", "a", "few", "many"]


def test_what_has_no_noise_does_not_outrank_what_takes_seconds():
    """A sweep: one rank prints for 84 us; four of sixteen ranks execute three times the instructions."""
    drawn = np.random.default_rng(3)
    dense = np.isin(np.arange(16), [10, 11, 14, 15])
    first = np.arange(16) == 0
    space = _space(
        ["wall_time", "cpu_time", "io_time"],
        wall_time=1.8 + 0.01 * drawn.standard_normal(16),
        cpu_time=np.where(dense, 1.2, 0.4) * (1 + 0.05 * drawn.standard_normal(16)),
        io_time=np.where(first, 84e-6, 0.0),
        instructions=np.where(dense, 8.7e7, 2.8e7) + 1e4 * drawn.standard_normal(16),
        l1_accesses=np.where(first, 6.25e6, 6.2e6) + drawn.standard_normal(16),
    )
    found = Partition.of(space, np.where(first, 0, np.where(dense, 2, 1)), space.scaled())
    assert space.metrics[found.by_f_ratio[0]] == "io_time"
    assert _named(space, separating(space, found)) == ["cpu_time", "instructions"]
    assert _named(space, telling(space, found, 0)) == []
    assert _named(space, telling(space, found, 2)) == ["cpu_time", "instructions"]
    by_first_rank = Partition.of(space, np.where(first, 0, 1), space.scaled())
    assert separating(space, by_first_rank) == []


def test_what_differs_within_clusters_as_well_tells_nothing_of_them():
    drawn = np.random.default_rng(0)
    noise = 1e5 * (1 + drawn.random(20))
    space = _space(work=[1.0] * 10 + [2.0] * 9 + [2.1], polls=noise)
    assert _named(space, separating(space, _of_halves(space))) == ["work"]
    assert _named(space, telling(space, _of_halves(space), 0)) == ["work"]


def test_a_cluster_is_told_by_what_differs_from_half_of_the_others_at_least():
    for sizes, said in (((4, 4, 4), ["work"]), ((5, 4, 4), [])):  # the first two clusters are alike, the third is not
        labels = np.repeat([0, 1, 2], sizes)
        work = np.array([1.0, 1.05, 5.0])[labels] + 1e-3 * np.arange(len(labels))
        space = _space(work=work, own=np.repeat([1.0, 2.0, 1.0], sizes) + 1e-3 * np.arange(len(labels)))
        found = Partition.of(space, labels, space.scaled())
        assert [each for each in _named(space, telling(space, found, 1)) if each == "work"] == said


def test_a_cluster_in_the_middle_that_is_like_no_other_is_told():
    labels = np.repeat([0, 1, 2], 4)
    for middle, said in ((2.0, ["work"]), (3.01, [])):  # close to the mean of the others
        space = _space(work=np.repeat([1.0, middle, 5.0], 4) + np.tile([0.0, 0.001, 0.002, 0.003], 3), own=labels**2)
        found = Partition.of(space, labels, space.scaled())
        assert _named(space, [each for each in telling(space, found, 1) if space.metrics[each] == "work"]) == said


def test_where_all_locations_are_nearly_alike_small_differences_tell(planted):
    within = planted.imbalance_in_a_cluster(0)
    slaves = within.part([row for row, point in enumerate(within.points) if point.thread])
    for found in (kmeans(slaves, clusters=2).partition, hierarchy(slaves, clusters=2).partition):
        assert _named(slaves, separating(slaves, found))[0].startswith("fma")
