"""One process that stands for all: in each call path it has the mean of what the processes' first threads have."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment, Location
from ...experiment.severities import LazySeverities
from ..summary import summary

__all__ = ["MEAN_PLACE", "mean_process"]

MEAN_PLACE: Final = ("(mean)", "")
"""Its machine and node."""


def mean_process(experiment: Experiment) -> Experiment:
    """Make an experiment of the mean process alone; what it is asked for comes from sums that are known, or one walk.

    Args:
        experiment: Any; metrics that are asked for must not lack values.
    """
    processes = len({place.process for place in experiment.locations if place.thread == 0})

    def mean(metric: str) -> npt.NDArray[np.float64]:
        return np.asarray(summary(experiment, metric).first[:, None] / max(1, processes))

    delay = sum(experiment.notes.run_delay.values()) / max(1, processes)
    return Experiment(
        metrics=experiment.metrics,
        call_paths=experiment.call_paths,
        locations=[Location(*MEAN_PLACE, 0)],
        severities=LazySeverities((each.name for each in experiment.metrics), mean),
        notes=replace(experiment.notes, run_delay={"0": delay} if delay else {}),
    )
