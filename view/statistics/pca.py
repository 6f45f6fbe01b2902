"""Report principal components, and clusters in the plane of the first two (Ahn and Vetter 2002, section 4.9)."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...multivariate.pca import Components
from ..marks import Axis, Bar, Bars, Chart, Series, short
from ..metric_space import caveats, drawn, names, part_of, some_rows
from ..picture import Picture
from ..report import Report, Table
from ..units import many, percent
from . import clusters
from .by_task import called
from .space import document

__all__ = ["pca_report"]

_ENOUGH: Final = 0.9
_NAMED: Final = 3
_ROWS: Final = 10
_TOLD: Final = 4  # maximum number of clusters in a sentence
_LABELLED: Final = 64  # maximum number of labelled locations in a picture


def pca_report(found: Components) -> Report:
    """Return a report on principal components, and on the clusters in their plane."""
    space = found.space
    count = len(found.explained)
    rows = [
        (label, cluster + 1, *scores)
        for label, cluster, scores in zip(
            space.labels, found.partition.labels.tolist(), found.scores.tolist(), strict=True
        )
    ]
    return Report(
        _sentences(found),
        [_table(found), *([] if _one_kind(found) else [clusters.table(space, found.partition)])],
        Table("pca", ("location", "cluster", *(f"component_{each + 1}" for each in range(count))), rows),
        {
            **document("pca", space),
            "explained_variance_ratio": found.explained.tolist(),
            "components": found.components.tolist(),
            "scores": found.scores.tolist(),
            **clusters.document(space, found.partition),
        },
        lambda: _pictures(found),
        caveats(space),
    )


def _one_kind(found: Components) -> bool:
    """Return whether to hide the clusters, because they are not distinct and were not requested."""
    return clusters.strength(found.space, found.partition) is not None and not found.given


def _leading(found: Components, component: int) -> list[str]:
    """Return the metrics with the largest absolute weights in a component; ``-`` marks negative weights."""
    weights = found.components[component]
    order = np.argsort(-np.abs(weights), kind="stable")[:_NAMED]
    return [f"{'' if weights[column] > 0 else '-'}{found.space.metrics[column]}" for column in order]


def _sentences(found: Components) -> list[str]:
    sums = np.cumsum(found.explained)
    enough = int(np.argmax(sums >= _ENOUGH - 1e-12)) + 1
    space, partition = found.space, found.partition
    said = [
        f"{enough} of {len(found.explained)} components explain{'s' if enough == 1 else ''} "
        f"{percent(100 * sums[enough - 1])} of the variance of {len(space.metrics)} metrics, so "
        f"{many(enough, 'number')} {'is' if enough == 1 else 'are'} enough to distinguish "
        f"{len(space.points)} locations.",
        f"The first component ({percent(100 * found.explained[0])}) is dominated by {names(_leading(found, 0))}"
        + (
            f", the second ({percent(100 * found.explained[1])}) by {names(_leading(found, 1))}."
            if len(found.explained) > 1
            else "."
        ),
    ]
    if weak := clusters.strength(space, partition):
        return [f"{weak}{clusters.across(space)}", *said]
    if partition.silhouette is not None:
        apart = f"{many(partition.count, 'cluster')} (silhouette {partition.silhouette:.2f})"
        said.append(f"The picture shows {apart}: {_sizes(found)}.")
    return [*said, *clusters.advice(space, partition)[:1]]


def _sizes(found: Components) -> str:
    partition = found.partition
    listed = [
        f"{many(len(rows), 'location')}, {clusters.who(found.space, partition, number)}"
        for number, rows in enumerate(partition.members[:_TOLD])
    ]
    more = partition.count - len(listed)
    return "; ".join([*listed, *([f"{more} more"] if more else [])])


def _table(found: Components) -> Table:
    sums = np.cumsum(found.explained)
    rows = [
        (
            str(each + 1),
            percent(100 * found.explained[each]),
            percent(100 * sums[each]),
            ", ".join(_leading(found, each)),
        )
        for each in range(min(len(sums), _ROWS))
    ]
    cut = part_of(len(rows), len(sums), "component")
    title = f"Principal components of {found.space.place}{f'; {cut}' if cut else ''}"
    return Table(title, ("component", "variance", "sum", "main metrics"), rows)


def _pictures(found: Components) -> list[Picture]:
    return [_plane(found), _weights(found)]


def _plane(found: Components) -> Picture:
    space, partition = found.space, found.partition
    rows = some_rows(space, partition.labels)
    second = found.scores[:, 1] if found.scores.shape[1] > 1 else np.zeros(len(found.scores))
    series: list[Series] = []
    together = _one_kind(found)
    for cluster in range(1 if together else partition.count):
        own = rows if together else rows[partition.labels[rows] == cluster]
        name = "locations" if together else called(space, partition, cluster)
        said = [str(space.labels[row]) for row in own.tolist()]
        labels = said if len(space.points) <= _LABELLED else ()
        series.append(Series(name, found.scores[own, 0].tolist(), second[own].tolist(), said, labels, colour=cluster))
    shares = [percent(100 * each) for each in found.explained[:2]]
    titles = [f"component {each + 1} ({share}): {_led(found, each)}" for each, share in enumerate(shares)]
    chart = Chart(series, Axis(titles[0]), Axis(titles[1] if len(titles) > 1 else ""), height=480)
    said = [*_sentences(found), *drawn(part_of(len(rows), len(space.points), "location"))]
    return Picture("Locations in the plane of the first two components", [chart], said)


def _led(found: Components, component: int) -> str:
    """Return the label of an axis: the component's main metrics (Ahn and Vetter 2002, figure 10)."""
    return ", ".join(short(each) for each in _leading(found, component))


def _weights(found: Components) -> Picture:
    count = min(2, len(found.components))
    weights = found.components[:count].T.tolist()
    rows = [
        Bar(metric, row, [f"{each:.3f}" for each in row])
        for metric, row in zip(found.space.metrics, weights, strict=True)
    ]
    names = [f"component {each + 1}" for each in range(count)]
    return Picture("Weights of the metrics in the components", [Bars(rows, "weight; pale bars are negative", names)])
