"""Pairs of sequences whose matching samples are known (Hauswirth et al. 2005, Table 1, and the failures in 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Map = Callable[[Values], Values]

SHAPES: Final = ("gradual", "steps", "dips", "periodic", "walk")
SITUATIONS: Final = ("scaled", "shifted", "warped")


def sequence(shape: str, count: int, chance: np.random.Generator) -> Values:
    """Return a sequence with ``count`` samples and a deviation of 1; ``shape`` is one of ``SHAPES``."""
    at = np.linspace(0, 1, count)
    if shape == "gradual":
        values = 1 + 0.3 * at + 0.2 * np.sin(2 * np.pi * 7 * at**1.3)
    elif shape == "steps":
        values = np.repeat(chance.random(9), -(-count // 9))[:count]
    elif shape == "dips":
        values = np.ones(count)
        for start in chance.random(6):
            values[int(start * count) : int(start * count) + count // 50 + 1] -= 0.6
    elif shape == "periodic":
        values = np.sin(2 * np.pi * 12 * at)
    else:
        values = np.convolve(np.pad(np.cumsum(chance.normal(size=count)), 3, mode="edge"), np.ones(7) / 7, "valid")
    return values / values.std()


def distortion(situation: str, chance: np.random.Generator) -> Map:
    """Return the function that maps times in the first sequence, from 0 to 1, to times in the second."""
    if situation == "scaled":
        factor = chance.uniform(0.7, 1.5)
        return lambda at: at * factor
    if situation == "shifted":
        delay = chance.uniform(0.02, 0.15)
        return lambda at: at + delay
    depth, phase = chance.uniform(0.1, 0.25) / (2 * np.pi), chance.uniform(0, 2 * np.pi)
    return lambda at: at + depth * (np.sin(2 * np.pi * at + phase) - np.sin(phase))


def distorted(values: Values, to: Map, noise: float, chance: np.random.Generator) -> tuple[Values, Values]:
    """Return two sequences with the same sampling rate, each with its own noise.

    Args:
        values: The first sequence without noise.
        to: Maps times in the first sequence to times in the second.
        noise: The deviation of the noise.
        chance: The generator of random numbers.
    """
    count = len(values)
    at = np.linspace(0, 1, count)
    there = np.arange(round(count * float(to(np.ones(1))[0]))) / (count - 1)
    other = np.interp(np.interp(there, to(at), at), at, values)
    return values + noise * chance.normal(size=count), other + noise * chance.normal(size=len(other))


def high_and_low(lengths: tuple[int, ...]) -> Values:
    """Return a sequence that alternates between 0 and 1, with these numbers of samples at each."""
    return np.repeat(np.arange(len(lengths)) % 2, lengths).astype(float)
