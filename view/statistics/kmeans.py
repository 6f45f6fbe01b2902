"""Report the clusters that k-means found, and F-ratios (Ahn and Vetter 2002, section 4.5.2)."""

from __future__ import annotations

from typing import Final

from ...multivariate.kmeans import Clusters
from ..marks import Bar, Bars
from ..metric_space import caveats, drawn, finite, names, part_of
from ..picture import Picture
from ..report import Report
from ..units import many
from . import clusters
from .by_task import task_picture
from .profile import profile_picture
from .space import document

__all__ = ["kmeans_report"]

_DRAWN: Final = 40


def kmeans_report(found: Clusters) -> Report:
    """Return a report on the clusters that k-means found."""
    space, partition = found.space, found.partition
    return Report(
        _sentences(found),
        clusters.tables(space, partition, wanted=not (found.criterion and clusters.strength(space, partition))),
        clusters.data(space, partition),
        {
            **document("kmeans", space),
            **clusters.document(space, partition),
            "criterion": found.criterion,
            "scores": {str(count): finite(score) for count, score in found.scores.items()},
            "gaps": {str(count): gap for count, gap in (found.chance.gaps if found.chance else {}).items()},
        },
        lambda: _pictures(found),
        caveats(space),
    )


def _sentences(found: Clusters) -> list[str]:
    space, partition = found.space, found.partition
    sizes = [len(rows) for rows in partition.members]
    score = found.scores.get(partition.count)
    chosen = "" if score is None else f", chosen by {found.criterion} ({score:.3g}{_tie(found, score)})"
    said = f"{len(space.points)} locations form {many(partition.count, 'cluster')} of {names(sizes, 10)}{chosen}."
    if weak := clusters.strength(space, partition):
        return [f"{weak}{clusters.across(space)}", said]
    return [said, *clusters.advice(space, partition)]


def _tie(found: Clusters, score: float) -> str:
    """Return a phrase if the gap statistic decided between numbers of clusters with nearly equal silhouettes.

    Empty if the silhouettes alone decided.
    """
    if found.criterion != "silhouette" or score == (best := max(found.scores.values())):
        return ""
    count = next(each for each, other in found.scores.items() if other == best)
    return f"; {count} clusters scored {best:.3g}, so the gap statistic decided"


def _pictures(found: Clusters) -> list[Picture]:
    said = _sentences(found)
    pictures = [_f_ratios(found, said)] if found.partition.by_f_ratio else []
    profile = profile_picture(found.space, found.partition, () if pictures else said)
    return [*pictures, task_picture(found.space, found.partition), profile]


def _f_ratios(found: Clusters, sentences: list[str]) -> Picture:
    partition = found.partition
    order = partition.by_f_ratio[:_DRAWN]
    rows = []
    for column in order:
        ratio = float(partition.f_ratios[column])
        rows.append(Bar(found.space.metrics[column], [ratio], ["∞" if ratio == float("inf") else f"{ratio:.4g}"]))
    said = [*sentences, *drawn(part_of(len(order), len(partition.by_f_ratio), "metric"))]
    return Picture("Which metrics separate the clusters", [Bars(rows, "F-ratio", log=True)], said)
