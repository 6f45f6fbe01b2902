"""How many runs confirm a finding on the mean of several runs, and by how much the finding's seconds vary."""

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
    """The 95 % confidence interval of a mean over runs, in seconds.

    Attributes:
        low: The lower end of the interval.
        mean: The mean over the runs that were made.
        high: The upper end of the interval.
    """

    low: float
    mean: float
    high: float


@dataclass(frozen=True, slots=True)
class Repeatability:
    """How many runs confirm one finding, and its seconds in each run.

    Attributes:
        in_runs: The number of runs that have the finding when analysed alone.
        seconds: For each run, including those without the finding: how much longer the slow ranks take than the others,
            or the time of the region. Empty if the compared metric is not a time, or a run lacks the value.
    """

    in_runs: int
    seconds: tuple[float, ...] = ()

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the mean of ``seconds``, by Student's t; None for fewer than three runs."""
        number = len(self.seconds)
        if number < _FEWEST:
            return None
        from scipy.special import stdtrit  # noqa: PLC0415 - few experiments are means

        mean = float(np.mean(self.seconds))
        half = float(stdtrit(number - 1, (1 + CONFIDENCE) / 2) * np.std(self.seconds, ddof=1) / np.sqrt(number))
        return Interval(mean - half, mean, mean + half)


@dataclass(frozen=True)
class Repetition:
    """How many runs confirm each finding on their mean.

    Attributes:
        runs: The number of runs.
        of_ranks: For differences between ranks: culprit → repeatability; the key is None if ranks differ only over all
            regions together.
        of_regions: For hot spots: position → repeatability.
    """

    runs: int = 1
    of_ranks: Mapping[int | None, Repeatability] = field(default_factory=dict)
    of_regions: Mapping[int, Repeatability] = field(default_factory=dict)
