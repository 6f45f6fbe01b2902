"""The same analysis again within clusters that are far apart (paper 003, section 4.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ...errors import AutoanalyzerError
from ..metric_space import MetricSpace
from .partition import DISTINCT, Partition

__all__ = ["Part", "recursively"]

Result = TypeVar("Result")

_LEAST: Final = 4  # points to be analysed
_DEEPEST: Final = 3


@dataclass(frozen=True)
class Part(Generic[Result]):
    """An analysis of a cluster within a cluster.

    Attributes:
        path: Numbers of the clusters from the outermost on, from 1; empty of all points.
        result: What was found there.
        parts: The same of its own clusters, if these are far apart.
    """

    path: tuple[int, ...]
    result: Result
    parts: tuple[Part[Result], ...] = ()


def recursively(
    space: MetricSpace,
    analysis: Callable[[MetricSpace], Result],
    clusters: Callable[[MetricSpace, Result], Partition],
    path: tuple[int, ...] = (),
) -> Part[Result]:
    """Analyse a space, and again each cluster of four points or more whose silhouette says that clusters are distinct.

    A cluster in which there is nothing to analyse, for all its metrics are constant or too few, has no part.

    Raises:
        AutoanalyzerError: What the analysis of the whole raises.
    """
    result = analysis(space)
    parts = []
    partition = clusters(space, result) if len(path) < _DEEPEST else None
    if partition is not None and (partition.silhouette or 0.0) >= DISTINCT:
        for number, rows in enumerate(partition.members, start=1):
            if len(rows) >= _LEAST:
                try:
                    parts.append(recursively(space.part(rows), analysis, clusters, (*path, number)))
                except AutoanalyzerError:
                    continue
    return Part(path, result, tuple(parts))
