"""Why regions are hot spots (Liu et al. 2011, section 4.4.2, Fig. 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..evidence.attributes import LEAST_RATE, Attribute
from ..evidence.decision_table import DecisionTable, Row
from ..evidence.time_split import TimeSplit
from ..run.code_regions import CodeRegion
from ..run.criteria import THRESHOLD
from ..run.selection import Selection
from .classes import HIGH, classify
from .disparity import Disparity

__all__ = ["DisparityCauses", "RootCause", "find_disparity_causes"]


@dataclass(frozen=True, slots=True)
class RootCause:
    """A root cause of a region.

    Attributes:
        attribute: Name of the attribute.
        value: The attribute's rate in the region; for an attribute that is not a rate, its sum over the ranks.
        program: The attribute's rate or sum in the whole program.
        elsewhere: The attribute's rate or sum in all code outside the region.
    """

    attribute: str
    value: float
    program: float
    elsewhere: float


@dataclass(frozen=True)
class DisparityCauses:
    """The root causes of hot spots, by rough sets.

    Attributes:
        table: One row per code region; 1 means that the attribute is high, or that the region is a culprit. Critical
            regions that are not culprits are left out, because their values mix those of several regions.
        causes: Culprit → its root causes.
        also: Culprit → other attributes that are high in the culprit, but do not distinguish it from other regions.
    """

    table: DecisionTable
    causes: Mapping[int, tuple[RootCause, ...]] = field(default_factory=dict)
    also: Mapping[int, tuple[RootCause, ...]] = field(default_factory=dict)


def find_disparity_causes(
    found: Disparity, ranks: Selection, attributes: Mapping[str, Attribute], seconds: TimeSplit
) -> DisparityCauses:
    """Build the decision table of the regions, reduce it, and read the causes from it.

    Args:
        found: The culprits.
        ranks: All ranks, and the code-region tree.
        attributes: The available attributes, of all ranks.
        seconds: How the regions spent their time.
    """
    names = tuple(attributes)
    if not found.exists:
        return DisparityCauses(DecisionTable(names))
    costly = sorted(set(found.culprits).difference(found.critical))
    raised = [_raised(each, seconds, costly) for each in attributes.values()]
    mixtures = set(found.critical).difference(found.culprits)
    rows = {
        index: Row(region.id, tuple(int(each[index]) for each in raised), int(index in found.culprits))
        for index, region in enumerate(ranks.regions)
        if index not in mixtures
    }
    table = DecisionTable(names, tuple(rows.values()))
    causes, also = {}, {}
    for culprit in found.culprits:
        raised_here = [name for name, value in zip(names, rows[culprit].values, strict=True) if value]
        telling = table.causes(rows[culprit])
        # All code executes instructions, so any other high attribute is more informative.
        if telling == ("instructions",):
            telling = tuple(raised_here)
        below = culprits_below(ranks.regions, culprit, found.culprits)
        telling = tuple(name for name in telling if seconds.is_own_part(name, culprit, below))
        raised_here = [name for name in raised_here if seconds.is_own_part(name, culprit, below)]
        if not telling and "instructions" in attributes and _only_executes(seconds)[culprit]:
            telling = ("instructions",)
        causes[culprit] = tuple(_cause(attributes[name], culprit) for name in telling)
        also[culprit] = tuple(_cause(attributes[name], culprit) for name in raised_here if name not in telling)
    return DisparityCauses(table, causes, also)


def culprits_below(regions: Sequence[CodeRegion], culprit: int, culprits: Collection[int]) -> list[int]:
    """Return the outermost culprits below a culprit."""
    found, pending = [], list(regions[culprit].children)
    while pending:
        region = pending.pop()
        if region in culprits:
            found.append(region)
        else:
            pending.extend(regions[region].children)
    return found


def _cause(attribute: Attribute, culprit: int) -> RootCause:
    values, rest = attribute.of_regions, attribute.of_the_rest
    return RootCause(attribute.name, float(values[culprit]), attribute.of_program, float(rest[culprit]))


def _raised(attribute: Attribute, seconds: TimeSplit, costly: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return, for each region, whether an attribute is high and takes a material share of the time: ``bool[region]``.

    Args:
        attribute: The attribute.
        seconds: How the regions spent their time.
        costly: Regions that count even if the attribute is not high in them, because their causes take enough time to
            be worth a fix.
    """
    amounts = attribute.of_regions
    worth = seconds.moves if attribute.name == "mpi_bytes" else seconds.is_part(seconds.of[attribute.name])
    if attribute.is_rate:
        worth &= (amounts > LEAST_RATE) & (amounts >= (1 - THRESHOLD) * attribute.of_the_rest)
        amounts = np.where(worth, amounts, 0.0)
    classes = classify(amounts.tolist())
    high = np.zeros(len(amounts), dtype=bool) if classes is None else np.array(classes) >= HIGH
    high[list(costly)] |= attribute.name != "instructions"
    return np.asarray(high & worth)


def _only_executes(seconds: TimeSplit) -> npt.NDArray[np.bool_]:
    """Return whether computing is a material share of each region's time, and no slower than average: ``bool[region]``.

    Computing is no slower than average if its excess over the program's mean time per instruction is immaterial.
    """
    executing = seconds.of["instructions"]
    return np.asarray(seconds.is_part(executing) & ~seconds.is_part(seconds.computing - executing))
