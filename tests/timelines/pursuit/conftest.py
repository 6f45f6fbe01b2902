"""A fixture that makes metric spaces for projection pursuit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from autoanalyzer.multivariate.metric_space import MetricSpace, Point


def space_of(values: npt.ArrayLike) -> MetricSpace:
    """Return a space with these values, ``float64[rank, metric]``; metrics are called ``m0``, ``m1``, …"""
    columns = np.asarray(values, dtype=np.float64)
    named = {f"m{place}": column for place, column in enumerate(columns.T)}
    return MetricSpace.of_columns(named, [Point(rank) for rank in range(len(columns))])


@pytest.fixture(scope="session")
def make_space() -> Callable[[npt.ArrayLike], MetricSpace]:
    """Return the function ``space_of``."""
    return space_of
