from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoanalyzer.analyze.paper.dissimilarity import are_clusters, cluster

VECTORS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 1.05, 1.1, 1.2, 3.0])] * 2), min_size=1, max_size=7)


def as_printed(vectors: list[tuple[float, ...]]) -> list[int]:
    """Algorithm 1 as printed, line by line."""
    points, labels = np.array(vectors), [-1] * len(vectors)
    for p in range(len(points)):
        if labels[p] < 0:
            number = max(labels) + 1
            for q in range(len(points)):
                near = np.linalg.norm(points[p] - points[q]) <= 0.1 * np.linalg.norm(points[p]) + 1e-12
                labels[q] = number if labels[q] < 0 and (q == p or near) else labels[q]
    return labels


@given(VECTORS)
def test_vectors_are_clustered_as_the_algorithm_is_printed(vectors):
    found = cluster(np.array(vectors))
    assert found.tolist() == as_printed(vectors)
    assert are_clusters(found, np.array(vectors))


def test_clusters_depend_on_the_numbers_of_the_ranks():
    ramp = np.array([1.0, 1.09, 1.18])
    found = {
        frozenset(frozenset(np.array(order)[labels == each].tolist()) for each in set(labels.tolist()))
        for order in permutations(range(3))
        for labels in [cluster(ramp[list(order)][:, None])]
    }
    assert len(found) > 1


def test_nothing_is_too_small_to_differ_by():
    assert cluster(np.array([[1e-9], [2e-9]])).tolist() == [0, 1]


def test_vectors_of_length_0_are_one_cluster():
    assert cluster(np.zeros((3, 2))).tolist() == [0, 0, 0]


def test_vectors_of_different_programs_are_not_compared():
    assert cluster(np.ones((4, 1)), np.array([0, 1, 0, 1])).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 1], [0, 1, 2]])
def test_other_labels_are_not_those_of_the_vectors(labels):
    vectors = np.array([[1.0], [1.0], [2.0]])
    assert not are_clusters(np.array(labels), vectors)
