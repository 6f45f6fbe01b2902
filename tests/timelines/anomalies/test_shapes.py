"""Shapes of change in sequences with noise and outliers."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.timelines.anomalies.shapes import best_shape

PARTS = 100
AT = np.arange(PARTS) + 0.5
PLANTED = {
    ("gradual change", 30, 70): ((AT - 30) / 40).clip(0, 1),
    ("sudden change", 55, 100): (AT > 55).astype(float),
    ("level shift", 20, 45): ((AT > 20) & (AT < 45)).astype(float),
    ("gradual change", 0, 100): AT / 100,
}


@pytest.mark.parametrize("planted", PLANTED, ids=str)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("height", [-0.6, 0.4])
def test_a_shape_is_found_where_it_is(planted, seed, height):
    chance = np.random.default_rng(seed)
    values = 3 + height * PLANTED[planted] + 0.05 * chance.normal(size=PARTS)
    values[chance.choice(PARTS, 6, replace=False)] += 2
    found = best_shape(values)
    assert found is not None
    assert found.kind == planted[0]
    assert (found.first, found.last) == pytest.approx(planted[1:], abs=6 if planted[1] else 17)  # how far it extends
    assert found.height == pytest.approx(height, rel=0.3)
    assert found.strength > 4


def test_noise_has_rarely_a_shape_and_never_a_strong_one():
    chance = np.random.default_rng(1)
    found = [best_shape(chance.normal(size=PARTS)) for _ in range(300)]
    assert max((each.strength for each in found if each), default=0) < 3


def test_a_constant_has_none():
    assert best_shape(np.full(PARTS, 2.0)) is None
    assert best_shape(np.zeros(PARTS)) is None


def test_what_happens_at_the_ends_is_how_work_begins_and_ends():
    values = np.ones(PARTS)
    values[:4] = 5
    values[-3:] = 0.2
    assert best_shape(values) is None


@pytest.mark.parametrize("parts", [20, 33, 64])
def test_fewer_parts_do(parts):
    values = np.repeat([1.0, 2.0], [parts // 2, parts - parts // 2])
    found = best_shape(values)
    assert found is not None
    assert (found.kind, found.first) == ("sudden change", parts // 2)
