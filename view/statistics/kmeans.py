"""Clusters by k-means and their F-ratios (paper 003, section 4.5.2)."""

from __future__ import annotations

from typing import Any, Final

from ...analyze.statistics import Clusters
from ..metric_space import caveats, names
from ..page import COLOURS, Picture, shown
from ..report import Report
from . import clusters
from .space import document

__all__ = ["kmeans_report"]

_DRAWN: Final = 40


def kmeans_report(found: Clusters) -> Report:
    """Report clusters in every form."""
    space, partition = found.space, found.partition
    return Report(
        [*_sentences(found), *caveats(space)],
        [clusters.table(space, partition), clusters.f_ratio_table(space, partition)],
        clusters.data(space, partition),
        {
            **document("kmeans", space),
            **clusters.members_document(space, partition),
            "f_ratios": clusters.f_ratio_rows(space, partition),
            "criterion": found.criterion,
            "scores": {str(count): score for count, score in found.scores.items()},
        },
        lambda: _pictures(found),
    )


def _sentences(found: Clusters) -> list[str]:
    space, partition = found.space, found.partition
    sizes = [len(rows) for rows in partition.members]
    chosen = f", as the {found.criterion} says ({found.scores[partition.count]:.3g})" if found.scores else ""
    said = [f"{len(space.points)} locations are {partition.count} clusters of {names(sizes, 10)}{chosen}."]
    if weak := clusters.strength(partition):
        return [*said, weak]
    if partition.by_f_ratio:
        best = partition.by_f_ratio[0]
        metric = space.metrics[best]
        smallest = min(range(partition.count), key=lambda each: sizes[each])
        said.append(
            f"{metric} parts them most (F = {partition.f_ratios[best]:.4g}): cluster {smallest + 1}, "
            f"{clusters.who(space, partition, smallest)}, has "
            f"{'; '.join(clusters.differences(space, partition, smallest)) or 'the same'}."
        )
    typical = names([space.labels[row] for row in partition.typical.tolist()], 10)
    return [*said, f"What helps one location helps its cluster: look at one of each, {typical}."]


def _pictures(found: Clusters) -> list[Picture]:
    said = _sentences(found)
    pictures = [_f_ratios(found, said)] if found.partition.by_f_ratio else []
    return [*pictures, clusters.profile_picture(found.space, found.partition, () if pictures else said)]


def _f_ratios(found: Clusters, sentences: list[str]) -> Picture:
    partition = found.partition
    order = partition.by_f_ratio[:_DRAWN]
    finite = [float(partition.f_ratios[column]) for column in order if partition.f_ratios[column] < float("inf")]
    most = 10 * max(finite, default=1.0)  # an infinite one reaches beyond all others
    heights = [min(float(partition.f_ratios[column]), most) for column in order]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": heights,
        "y": list(range(len(order))),
        "text": ["∞" if partition.f_ratios[column] > most else f"{partition.f_ratios[column]:.4g}" for column in order],
        "marker": {"color": COLOURS[0]},
        "hovertemplate": "F = %{text}<extra></extra>",
    }
    layout = {
        "height": 160 + 24 * len(order),
        "xaxis": {"type": "log", "title": {"text": "F-ratio"}},
        "yaxis": {
            "tickvals": list(range(len(order))),
            "ticktext": [shown(found.space.metrics[column]) for column in order],
            "autorange": "reversed",
            "automargin": True,
        },
    }
    return Picture("Which metrics part the clusters", {"data": [bars], "layout": layout}, sentences)
