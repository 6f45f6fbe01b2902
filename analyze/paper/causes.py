"""Why ranks differ, and why regions are hot spots: rough sets as in Liu et al. 2011 (section 4.4.2, Figs. 4 and 5)."""

from __future__ import annotations

import numpy as np

from ..disparity.causes import DisparityCauses, RootCause
from ..disparity.classes import HIGH
from ..disparity.disparity import Disparity
from ..dissimilarity.causes import DissimilarityCauses
from ..dissimilarity.differences import Differences
from ..dissimilarity.work import Difference
from ..evidence.attributes import ATTRIBUTES, Attribute, lacking
from ..evidence.decision_table import DecisionTable, Row
from ..run.arrays import Values, ratio
from ..run.selection import Selection, over_ranks
from .dissimilarity import cluster
from .weights import severity_classes

__all__ = ["attribute_means", "attribute_vectors", "causes_of_ranks", "causes_of_regions"]


def attribute_vectors(ranks: Selection, name: str) -> Values:
    """Return one of ``ATTRIBUTES`` for each rank and region; ``float64[rank, region]``."""
    return np.concatenate([*over_ranks(ranks, _of_block, name)])


def attribute_means(ranks: Selection, name: str) -> Values:
    """Return the mean over the ranks of each region's rate or amount; ``float64[region]``."""
    return np.asarray(np.sum([*over_ranks(ranks, _sums, name)], axis=0) / len(ranks.ranks))


def _of_block(ranks: Selection, name: str) -> Values:
    counted, accesses = ATTRIBUTES[name]
    amount = ranks.by_rank(ranks.experiment.exclusive(counted))
    if accesses:
        base = ranks.by_rank(ranks.experiment.exclusive(accesses))
        amount = ratio(amount, base)
    return np.asarray(amount.T)


def _sums(ranks: Selection, name: str) -> Values:
    return np.asarray(_of_block(ranks, name).sum(axis=0))


def causes_of_ranks(found: Differences) -> DissimilarityCauses:
    """Build the decision table of the ranks (Table 3): their clusters by each attribute, and their clusters by time.

    The vectors of an attribute contain its values in all regions. The causes are the core attributions. Liu et al. show
    only one cause; if there are several, the attribute by which ranks differ most comes first.
    """
    ranks, dissimilarity, vectors = found.selection, found.dissimilarity, found.vectors
    names = [name for name in _names(ranks) if ranks.experiment.notes.counts_by_rank or name.endswith("_bytes")]
    if not dissimilarity.exists:
        return DissimilarityCauses(DecisionTable(tuple(names)))
    places = list(dissimilarity.culprits or vectors.top)
    columns, spread = [], {}
    for name in names:
        values = attribute_vectors(ranks, name)
        columns.append(cluster(values, vectors.programs).tolist())
        spread[name] = float(ratio(np.ptp(values[:, places], axis=0), values[:, places].max(axis=0)).max(initial=0.0))
    decision = np.zeros(len(vectors.labels), dtype=np.intp)
    for number, columns_of_cluster in enumerate(dissimilarity.clusters):
        decision[list(columns_of_cluster)] = number
    lines = zip(vectors.labels, *columns, decision.tolist(), strict=True)
    table = DecisionTable(tuple(names), tuple(Row(label, tuple(values), last) for label, *values, last in lines))
    widest = sorted(filter(table.telling.__contains__, names), key=lambda name: -spread[name])
    telling = [Attribute.of(name, ranks) for name in widest]

    def differences(regions: list[int]) -> tuple[Difference, ...]:
        clusters = dissimilarity.clusters
        return tuple(
            Difference(each.name, tuple(each.of_members(regions, columns) for columns in clusters)) for each in telling
        )

    of_culprit = {culprit: differences([culprit]) for culprit in dissimilarity.culprits}
    return DissimilarityCauses(table, differences(places), of_culprit)


def causes_of_regions(found: Disparity, ranks: Selection) -> DisparityCauses:
    """Build the decision table of the regions (Table 4): 1 marks a high attribute, or a critical region.

    The causes of a culprit are the core attributions that are 1 in its row. Liu et al. do not mention the case that
    there are none; then all attributes that are 1 in its row are its causes.
    """
    names = _names(ranks)
    if not found.exists:
        return DisparityCauses(DecisionTable(names))
    classes = [severity_classes(attribute_means(ranks, name).tolist()) for name in names]
    raised = [
        [int(each is not None and each[index] >= HIGH) for each in classes] for index in range(len(ranks.regions))
    ]
    rows = [
        Row(region.id, tuple(values), int(index in found.critical))
        for index, (region, values) in enumerate(zip(ranks.regions, raised, strict=True))
    ]
    table = DecisionTable(names, tuple(rows))
    attributes = {name: Attribute.of(name, ranks) for name in names}
    causes = {}
    for culprit in found.culprits:
        high = [name for name, value in zip(names, raised[culprit], strict=True) if value]
        telling = [name for name in high if name in table.telling] or high
        causes[culprit] = tuple(_cause(attributes[name], culprit) for name in telling)
    return DisparityCauses(table, causes, dict.fromkeys(found.culprits, ()))


def _names(ranks: Selection) -> tuple[str, ...]:
    missing = lacking(ranks.experiment)
    return tuple(name for name in ATTRIBUTES if name not in missing)


def _cause(attribute: Attribute, culprit: int) -> RootCause:
    values, rest = attribute.of_regions, attribute.of_the_rest
    return RootCause(attribute.name, float(values[culprit]), attribute.of_program, float(rest[culprit]))
