from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autoanalyzer.analyze.dissimilarity.clusters import cluster, levels, members, severity

LENGTHS = st.integers(0, 10**7).map(lambda number: number * 1e-6)


def test_vectors_within_a_tenth_of_the_shortest_ones_length_are_one_cluster():
    assert cluster(np.array([[1.0], [1.1], [1.05]])).tolist() == [0, 0, 0]


def test_a_vector_a_little_farther_than_a_tenth_stands_alone():
    assert cluster(np.array([[1.0], [1.11], [1.0]])).tolist() == [0, 1, 0]


def test_the_shortest_free_vector_opens_a_cluster_so_that_neighbours_do_not_chain():
    assert cluster(np.array([[1.16], [1.08], [1.0]])).tolist() == [0, 1, 1]


def test_a_point_far_from_all_is_an_isolated_cluster():
    assert members(cluster(np.array([[1.0, 0], [0, 1.0], [1.0, 0.01]]))) == [[0, 2], [1]]


def test_vectors_of_length_zero_are_alike():
    assert cluster(np.zeros((5, 3))).tolist() == [0] * 5


def test_a_distance_below_the_floor_is_no_difference():
    assert cluster(np.array([[0.001], [0.009]]), floor=0.01).tolist() == [0, 0]


def test_no_vectors_have_no_clusters():
    assert members(cluster(np.zeros((0, 2)))) == []


@given(st.lists(st.tuples(LENGTHS, LENGTHS), min_size=1, max_size=30), st.floats(0, 1))
def test_clusters_equal_those_of_the_algorithm_as_printed_from_the_shortest_vector_on(
    points: list[tuple[float, float]], floor: float
):
    points.sort(key=lambda each: (np.linalg.norm(np.array([each]), axis=1)[0], each))
    vectors = np.array(points)
    labels: list[int] = [-1] * len(points)
    count = 0
    for p, vector in enumerate(vectors):
        if labels[p] >= 0:
            continue
        reach = max(0.1 * np.linalg.norm(vector), floor) * (1 + 1e-12)
        for q, other in enumerate(vectors):
            if labels[q] < 0 and (q == p or np.linalg.norm(other - vector) <= reach):
                labels[q] = count
        count += 1
    assert cluster(vectors, floor=floor).tolist() == labels


@given(st.lists(st.tuples(LENGTHS, LENGTHS), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_clusters_do_not_depend_on_the_numbering(points: list[tuple[float, float]], chance: Random):
    order = list(range(len(points)))
    chance.shuffle(order)
    as_numbered = cluster(np.array(points))[order].tolist()
    renumbered = cluster(np.array(points)[order]).tolist()
    assert len(set(zip(as_numbered, renumbered, strict=True))) == len(set(as_numbered)) == len(set(renumbered))


def test_levels_part_numbers_that_differ_by_more_than_a_tenth_of_the_least_or_of_the_whole_difference():
    assert levels(np.array([10.0, 30.0, 30.5, 42.0, 52.0, 66.0, 52.0, 66.0])).tolist() == [0, 1, 1, 2, 3, 4, 3, 4]
    assert levels(np.array([0.003, 53.0, 0.0035, 0.001])).tolist() == [0, 1, 0, 0]


def test_levels_of_a_slight_difference_are_two():
    assert levels(np.array([50.0, 50.1, 53.0, 49.9])).tolist() == [0, 0, 1, 0]


def test_severity_is_the_largest_distance_over_the_largest_length():
    assert severity(np.array([[3.0, 0.0], [0.0, 4.0], [1.0, 1.0]])) == pytest.approx(5 / 4)


def test_severity_of_nothing_is_zero():
    assert severity(np.zeros((3, 2))) == 0.0


@given(st.lists(st.tuples(LENGTHS, LENGTHS), min_size=2, max_size=30))
@example([(7.0, 2.5606689785331587), (2.5606689785331587, 7.0)])
def test_severity_looks_at_every_pair(points: list[tuple[float, float]]):
    vectors = np.array(points)
    widest = max(np.linalg.norm(a - b) for a in vectors for b in vectors)
    longest = max(np.linalg.norm(a) for a in vectors)
    assert severity(vectors) == pytest.approx(widest / longest if longest else 0.0)


def test_a_hundred_thousand_ranks_in_three_clusters_are_told_apart():
    values = np.tile([[1.0, 2.0], [1.0, 4.0], [3.0, 1.0]], (33_334, 1))
    assert np.bincount(cluster(values)).tolist() == [33_334] * 3
