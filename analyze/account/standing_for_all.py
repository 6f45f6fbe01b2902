"""Small experiments that represent many ranks; they are built from summaries, so no rank is read again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.severities import LazySeverities
from ..run.summary import sampled, summary

__all__ = ["some_locations"]

Values = npt.NDArray[np.float64]


def some_locations(experiment: Experiment) -> Experiment:
    """Return an experiment with only the ``sampled`` locations; if there are few locations, with all of them."""
    names = [metric.name for metric in experiment.metrics]
    return Experiment(
        metrics=experiment.metrics,
        call_paths=experiment.call_paths,
        locations=[experiment.locations[column] for column in sampled(experiment).tolist()],
        severities=LazySeverities(names, lambda metric: summary(experiment, metric).sample),
        notes=experiment.notes,
    )
