import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autoanalyzer.analyze.dissimilarity.clusters import are_clusters, cluster, members, severity

LENGTHS = st.integers(0, 10**7).map(lambda number: number * 1e-6)


def test_vectors_within_a_tenth_of_the_first_ones_length_are_one_cluster():
    assert cluster(np.array([[1.0], [1.1], [0.9]])).tolist() == [0, 0, 0]


def test_a_vector_a_little_farther_than_a_tenth_stands_alone():
    assert cluster(np.array([[1.0], [1.11], [1.0]])).tolist() == [0, 1, 0]


def test_the_lowest_numbered_free_vector_opens_a_cluster_so_that_neighbours_do_not_chain():
    assert cluster(np.array([[1.0], [1.08], [1.16]])).tolist() == [0, 0, 1]


def test_a_point_far_from_all_is_an_isolated_cluster():
    assert members(cluster(np.array([[1.0, 0], [0, 1.0], [1.0, 0.01]]))) == [[0, 2], [1]]


def test_vectors_of_length_zero_are_alike():
    assert cluster(np.zeros((5, 3))).tolist() == [0] * 5


def test_a_distance_below_the_floor_is_no_difference():
    assert cluster(np.array([[0.001], [0.009]]), floor=0.01).tolist() == [0, 0]


def test_no_vectors_have_no_clusters():
    assert members(cluster(np.zeros((0, 2)))) == []


@given(st.lists(st.tuples(LENGTHS, LENGTHS), min_size=1, max_size=30), st.floats(0, 1))
def test_clusters_equal_those_of_the_algorithm_as_printed(points: list[tuple[float, float]], floor: float):
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


def test_whether_labels_are_those_of_the_clusters_is_told_without_making_them():
    chance = np.random.default_rng(2)
    for number in range(300):
        vectors = chance.integers(1, 30, (chance.integers(1, 12), chance.integers(1, 3))).astype(float)
        groups = chance.integers(0, 3, len(vectors)) if number % 2 else None
        labels = cluster(vectors, floor=1.0, groups=groups)
        others = cluster(chance.permutation(vectors), floor=1.0, groups=groups)
        assert are_clusters(labels, vectors, floor=1.0, groups=groups)
        assert are_clusters(others, vectors, floor=1.0, groups=groups) == np.array_equal(labels, others)
