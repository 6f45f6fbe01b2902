"""In how many runs a finding of their mean is confirmed, and the confidence in its seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

__all__ = ["CONFIDENCE", "Interval", "Repeatability", "Repetition"]

CONFIDENCE: Final = 0.95
_FEWEST: Final = 3  # runs: with two, the interval is too wide to be useful


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the mean of infinitely many runs is, with a confidence of 95 %.

    Attributes:
        low: In seconds, as are the others.
        mean: That of the runs that were made.
        high: Where it ends.
    """

    low: float
    mean: float
    high: float


@dataclass(frozen=True, slots=True)
class Repeatability:
    """How the runs confirm one finding.

    Attributes:
        in_runs: In how many of them it is found, too.
        seconds: What it is about, in each run, whether or not it is found there: how much longer the slow ranks take
            than the others, or what the region takes; empty if that is no time, or not known of all.
    """

    in_runs: int
    seconds: tuple[float, ...] = ()

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the seconds, by Student's t; None of too few runs."""
        number = len(self.seconds)
        if number < _FEWEST:
            return None
        from scipy.special import stdtrit  # noqa: PLC0415 - few experiments are means

        mean = float(np.mean(self.seconds))
        half = float(stdtrit(number - 1, (1 + CONFIDENCE) / 2) * np.std(self.seconds, ddof=1) / np.sqrt(number))
        return Interval(mean - half, mean, mean + half)


@dataclass(frozen=True)
class Repetition:
    """How the runs of a mean confirm its findings.

    Attributes:
        runs: How many there are.
        of_ranks: By the culprit in which ranks differ; None means all regions, if ranks differ but no culprit is known.
        of_regions: By hot spot.
    """

    runs: int = 1
    of_ranks: Mapping[int | None, Repeatability] = field(default_factory=dict)
    of_regions: Mapping[int, Repeatability] = field(default_factory=dict)
