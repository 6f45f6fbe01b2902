"""Flat profiles, which are trivial call trees (Song et al. 2004, section 2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .call_path import CallPath
from .experiment import Experiment
from .grouping import grouped
from .region import Region
from .severities import Severity

__all__ = ["flat"]


def flat(experiment: Experiment) -> Experiment:
    """Return the flat profile: each region becomes a root call path with its exclusive values.

    The result is an ordinary experiment; metrics are computed on demand.
    """
    rows: dict[Region, int] = {}
    for path in experiment.call_paths:
        rows.setdefault(path.region, len(rows))
    row_of = np.array([rows[path.region] for path in experiment.call_paths], dtype=np.intp)

    def read(of: Experiment, name: str) -> Severity:
        return grouped(of.metric(name).aggregation, of.exclusive(name), row_of, len(rows))

    return experiment.replaced(
        call_paths=[CallPath(region) for region in rows],
        severities=experiment.derived((each.name for each in experiment.metrics), read),
        notes=replace(experiment.notes, history=(*experiment.notes.history, "flat")),
    )
