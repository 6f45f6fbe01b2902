"""Small experiments that stand for one of many ranks, made of what its summaries keep: no rank is looked at again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment, Location, Notes
from ...experiment.severities import LazySeverities
from ..summary import sampled, summary

__all__ = ["MEAN_PLACE", "mean_process", "some_locations"]

Values = npt.NDArray[np.float64]

MEAN_PLACE: Final = ("(mean)", "")
"""Machine and node of the mean process."""


def mean_process(experiment: Experiment) -> Experiment:
    """Make an experiment of one process: in each call path it has the mean of what the first threads of all have.

    Args:
        experiment: Any; metrics that are asked for must not lack values.
    """
    processes = max(1, len({place.process for place in experiment.locations if place.thread == 0}))
    delay = sum(experiment.notes.run_delay.values()) / processes
    return _made(
        experiment,
        [Location(*MEAN_PLACE, 0)],
        lambda metric: summary(experiment, metric).first[:, None] / processes,
        replace(experiment.notes, run_delay={"0": delay} if delay else {}),
    )


def some_locations(experiment: Experiment) -> Experiment:
    """Make an experiment of the locations that are ``sampled``: all of a few."""
    places = [experiment.locations[column] for column in sampled(experiment).tolist()]
    return _made(experiment, places, lambda metric: summary(experiment, metric).sample, experiment.notes)


def _made(
    experiment: Experiment, places: Sequence[Location], values: Callable[[str], Values], notes: Notes
) -> Experiment:
    names = [metric.name for metric in experiment.metrics]
    return Experiment(
        metrics=experiment.metrics,
        call_paths=experiment.call_paths,
        locations=places,
        severities=LazySeverities(names, values),
        notes=notes,
    )
