"""The same analysis again within clusters that are far apart (paper 003, section 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from ...errors import AutoanalyzerError
from ..metric_space import MetricSpace
from .partition import DISTINCT, LEVEL, Partition

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
        without: Number of a cluster of four points or more of which there is none → why.
        ended: Why its clusters are not analysed; None if they are.
    """

    path: tuple[int, ...]
    result: Result
    parts: tuple[Part[Result], ...] = ()
    without: Mapping[int, str] = field(default_factory=dict)
    ended: str | None = None


def recursively(
    space: MetricSpace,
    analysis: Callable[[MetricSpace], Result],
    clusters: Callable[[MetricSpace, Result], Partition],
    path: tuple[int, ...] = (),
) -> Part[Result]:
    """Analyse a space, and again each cluster of four points or more whose silhouette says that clusters are distinct.

    Raises:
        AutoanalyzerError: What the analysis of the whole raises.
    """
    result = analysis(space)
    if len(path) == _DEEPEST:
        return Part(path, result, ended=f"{_DEEPEST} levels are the limit")
    partition = clusters(space, result)
    if partition.silhouette is None or partition.silhouette < DISTINCT:
        found = "none" if partition.silhouette is None else f"{partition.silhouette:.2f}"
        return Part(path, result, ended=f"that needs a silhouette of at least {DISTINCT}, found {found}")
    if partition.by_chance:
        found = f"{100 * (partition.chance or 0):.3g}"
        return Part(path, result, ended=f"chance may make them in at most {100 * LEVEL:g} of 100 cases, found {found}")
    parts, without = [], {}
    for number, rows in enumerate(partition.members, start=1):
        if len(rows) >= _LEAST:
            try:
                parts.append(recursively(space.part(rows), analysis, clusters, (*path, number)))
            except AutoanalyzerError as error:
                without[number] = str(error)
    ended = None if parts or without else f"none has at least {_LEAST} locations"
    return Part(path, result, tuple(parts), without, ended)
