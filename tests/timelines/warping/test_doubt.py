"""Problems of which the paper warns (4.2, Table 1) are reported; clean pairs give no warning."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.timelines.warping import doubts, warp

from .sequences import SHAPES, SITUATIONS, distorted, distortion, high_and_low, sequence


def kinds(x: np.ndarray, y: np.ndarray, *boundaries: int) -> set[str]:
    return {each.kind for each in doubts(x, y, warp(x, y), boundaries)}


def test_local_incorrectness_of_figure_4_is_reproduced_and_a_penalty_mends_it():
    """Both sequences alternate at the same times; a noisy sample in each, at different places, distorts the path."""
    x, y = high_and_low((8, 8, 8)), high_and_low((8, 8, 8))
    x[11], y[13] = 0.8, 0.8
    plain, mended = warp(x, y), warp(x, y, penalty=0.3)
    assert (plain.x != plain.y).any()
    assert plain.error < np.abs(x - y).sum()
    assert (mended.x == mended.y).all()


def test_global_incorrectness_of_figure_5_is_reproduced_and_told():
    """A noisy point in a low stretch matches the other trace's whole second period."""
    x = np.concatenate([high_and_low((10, 10, 10)), high_and_low((10, 10, 10))])
    y = high_and_low((10, 10, 10, 10, 10, 10, 10))
    x[25] = 0.7
    path = warp(x, y)
    second = np.unique(path.x[(path.y >= 30) & (path.y < 40)])
    assert second.tolist() == [25]
    assert "noise-point" in {each.kind for each in doubts(x, y, path)}


def test_a_boundary_in_a_flat_stretch_is_told_and_one_at_a_step_is_not():
    chance = np.random.default_rng(4)
    x = high_and_low((100, 100, 100)) + 0.01 * chance.normal(size=300)
    y = high_and_low((120, 120, 120)) + 0.01 * chance.normal(size=360)
    assert kinds(x, y, 100, 200) == set()
    assert kinds(x, y, 150, 200) == {"constant"}
    (told,) = doubts(x, y, warp(x, y), (150, 200))
    assert told.start == pytest.approx(101, abs=3)
    assert told.end == pytest.approx(198, abs=3)


def test_events_in_another_order_are_told():
    chance = np.random.default_rng(6)
    first, second = np.sin(np.linspace(0, 20, 120)), 3 * np.sign(np.sin(np.linspace(0, 9, 120)))
    flat = np.zeros(20)
    x = np.concatenate([flat, first, flat, second, flat]) + 0.02 * chance.normal(size=300)
    y = np.concatenate([flat, second, flat, first, flat]) + 0.02 * chance.normal(size=300)
    assert "reordered" in kinds(x, y)


def test_another_program_is_told():
    chance = np.random.default_rng(7)
    assert "unlike" in kinds(sequence("dips", 300, chance), 5 + sequence("periodic", 300, chance))


def test_clean_pairs_are_not_told_of():
    """Of 105 pairs without a problem, at most one in twenty has a warning."""
    told = 0
    for shape in SHAPES:
        for situation in SITUATIONS:
            for seed in range(7):
                chance = np.random.default_rng(seed)
                values = sequence(shape, 300, chance)
                told += bool(kinds(*distorted(values, distortion(situation, chance), 0.03, chance)))
    assert told <= 5


def test_constant_sequences_have_no_noise_to_speak_of():
    assert kinds(np.ones(50), np.ones(60)) == set()
    assert kinds(np.ones(50), np.ones(60), 20) == {"constant"}
