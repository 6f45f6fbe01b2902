"""Why regions weigh (paper 001, section 4.4.2, Fig. 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..attributes import ABOVE, BYTES_PER_SECOND, LEAST_MISSES, LEAST_PART, STREAM, Attribute, per_data_access
from ..code_regions import CodeRegion
from ..costs import Cost
from ..decision_table import DecisionTable, Row
from .classes import classify
from .disparity import Disparity

__all__ = ["Cause", "DisparityCauses", "find_disparity_causes"]

_RAISED: Final = 3
_EXPLAINED: Final = 0.1  # of the time that volume must explain
_EXECUTED: Final = 0.5  # of the time that instructions must explain at the program's speed
_TELLING: Final = 0.05  # of the region's time that its calls of MPI or I/O must take
_POLLING: Final = 0.25  # of the time in MPI that is on a processor, unless that is another rank's turn
_COPIED_PER_SECOND: Final = 1e9
_READING: Final = 0.25  # of the region's time, in file I/O, that needs no other explanation
_COMPUTING: Final = 0.25  # of the region's time that must be outside of such calls
_WAITING: Final = 0.25
_LINE: Final = 10e-9  # seconds to bring a line from memory that was asked for ahead
_MOVING: Final = 0.3  # of the time that a region computes

# Attribute → the time that its volume takes.
_TIMES: Final = {"io_bytes": "io_time", "mpi_bytes": "mpi_time"}


@dataclass(frozen=True, slots=True)
class Cause:
    """A root cause of a region.

    Attributes:
        attribute: Its name.
        value: The region's rate, or its sum over the ranks.
        program: That of the whole program.
        elsewhere: That of all code outside of the region.
    """

    attribute: str
    value: float
    program: float
    elsewhere: float


@dataclass(frozen=True)
class DisparityCauses:
    """What makes the cores weigh.

    Attributes:
        table: A row each code region but critical ones that are no cores, whose values are mixtures; 1 is raised, or
            a core.
        causes: The root causes of each core.
        also: What else the row of each core raises, though it tells cores from no other regions; and misses of the
            second cache that take a good part of its time, though other regions miss as often.
        waiting: Cores that spend time in MPI without volume.
    """

    table: DecisionTable
    causes: Mapping[int, tuple[Cause, ...]] = field(default_factory=dict)
    also: Mapping[int, tuple[Cause, ...]] = field(default_factory=dict)
    waiting: frozenset[int] = frozenset()


def find_disparity_causes(
    found: Disparity,
    regions: Sequence[CodeRegion],
    attributes: Mapping[str, Attribute],
    costs: Sequence[Cost],
    waiting: npt.NDArray[np.float64],
) -> DisparityCauses:
    """Build the decision table of the regions, reduce it, and read the causes from it (definitions 17 to 19).

    Args:
        found: The cores.
        regions: The code-region tree.
        attributes: Those that can be had, of all ranks.
        costs: Of each region.
        waiting: What of each region's time in MPI is waiting for ranks that compute longer, in seconds.
    """
    names = tuple(attributes)
    if not found.exists:
        return DisparityCauses(DecisionTable(names))
    moving = [_without_waiting(cost, seconds) for cost, seconds in zip(costs, waiting.tolist(), strict=True)]
    raised = [_raised(attribute, attributes, costs, moving) for attribute in attributes.values()]
    mixtures = set(found.ccr).difference(found.cccr)
    rows = {
        index: Row(region.id, tuple(int(each[index]) for each in raised), int(index in found.cccr))
        for index, region in enumerate(regions)
        if index not in mixtures
    }
    table = DecisionTable(names, tuple(rows.values()))
    causes, also = {}, {}
    for core in found.cccr:
        raised_here = [name for name, value in zip(names, rows[core].values, strict=True) if value]
        telling = table.causes(rows[core])
        if telling == ("instructions",):  # all code executes some: what else is raised says more
            telling = tuple(raised_here)
        causes[core] = tuple(_cause(attributes[name], core) for name in telling)
        others = [name for name in raised_here if name not in telling]
        if "l2_miss_rate" not in raised_here and _streams(attributes.get("l2_miss_rate"), core, costs[core]):
            others.append("l2_miss_rate")
        also[core] = tuple(_cause(attributes[name], core) for name in others)
    volume = attributes.get("mpi_bytes")
    waits = (core for core in found.cccr if volume and _waits(costs[core]) and not _moves(volume, core, moving[core]))
    return DisparityCauses(table, causes, also, frozenset(waits))


def _cause(attribute: Attribute, core: int) -> Cause:
    values, rest = attribute.of_regions, attribute.of_the_rest
    return Cause(attribute.name, float(values[core]), attribute.of_program, float(rest[core]))


def _without_waiting(cost: Cost, seconds: float) -> Cost:
    """Take waiting off the time in MPI; all of this if it is waiting for the most part."""
    if cost.mpi_time is None:
        return cost
    return replace(cost, mpi_time=0.0 if seconds >= 0.5 * cost.mpi_time else cost.mpi_time - seconds)


def _raised(
    attribute: Attribute, attributes: Mapping[str, Attribute], costs: Sequence[Cost], moving: Sequence[Cost]
) -> npt.NDArray[np.bool_]:
    """Tell where an attribute is high, and worth it (definitions 17): ``bool[region]``.

    Args:
        attribute: The one.
        attributes: All.
        costs: Of each region.
        moving: The same without what of the time in MPI is waiting.
    """
    amounts = attribute.of_regions
    if attribute.accesses is not None:
        amounts = np.where(attribute.parts >= LEAST_PART, amounts, 0.0)
    classes = classify(amounts.tolist())
    if classes is None:
        return np.zeros(len(costs), dtype=bool)
    high = np.array(classes) >= _RAISED
    if attribute.name in _TIMES:
        return high & [_moves(attribute, region, cost) for region, cost in enumerate(moving)]
    high &= [_computes(cost) for cost in costs]
    if attribute.accesses is not None:
        return high & _misses_much(attribute, per_data_access(attribute, attributes))
    return high & (attribute.parts >= _EXECUTED * np.array([cost.share for cost in costs]))


def _streams(attribute: Attribute | None, region: int, cost: Cost) -> bool:
    """Whether moving lines from memory takes a good part of a region's time, however often others miss."""
    if attribute is None or not _computes(cost):
        return False
    seconds = float(attribute.amount[region].mean()) * _LINE
    return bool(cost.compute_time and seconds >= _MOVING * cost.compute_time)


def _misses_much(attribute: Attribute, data: Attribute) -> npt.NDArray[np.bool_]:
    """Compare a region's miss rate with the program's.

    A region that makes most of the program's accesses is the program, and can't surpass it: it is compared with the
    rest if it misses more often, in all data accesses of some rank, than a walk through consecutive numbers would.
    """
    rates, often = attribute.of_regions, data.most_often
    worth = (attribute.parts >= LEAST_PART) & (often > LEAST_MISSES[attribute.name])
    above_program, above_rest = rates > ABOVE * attribute.of_program, rates > ABOVE * attribute.of_the_rest
    return np.asarray(worth & (above_program | (above_rest & (often > STREAM))))


def _moves(attribute: Attribute, region: int, cost: Cost) -> bool:
    """Whether bytes explain the time of their calls, and these matter to the region; a rank's mean.

    Where that time was not measured, it is what the bytes take. Nobody waits for other ranks in file I/O: where it
    takes much of the time, in many small calls or on a slow disk, few bytes are enough.
    """
    volume = float(attribute.amount[region].mean())
    at_least = volume / BYTES_PER_SECOND
    measured = getattr(cost, _TIMES[attribute.name])
    time = at_least if measured is None else measured
    wall = cost.wall_time or 0.0
    if attribute.name == "io_bytes" and time >= _READING * wall:
        return volume > 0
    if attribute.name == "mpi_bytes" and _waits_off_the_processor(cost, volume):
        return False
    return bool(volume > 0 and at_least >= _EXPLAINED * time and time >= _TELLING * wall)


def _waits_off_the_processor(cost: Cost, volume: float) -> bool:
    """Whether MPI calls are off the processor for the most part, and copying takes little of what is left.

    MPI polls while messages are on their way; it leaves the processor to other ranks where there are more of them than
    processors.
    """
    if not cost.mpi_time or not cost.mpi_cpu_time or cost.mpi_cpu_time >= _POLLING * cost.mpi_time:
        return False
    return volume / _COPIED_PER_SECOND < 0.5 * cost.mpi_cpu_time


def _computes(cost: Cost) -> bool:
    """Whether a region's own code takes time enough to be what makes it weigh: counts say nothing of other time."""
    wall = cost.wall_time or 0.0
    return wall - (cost.mpi_time or 0.0) - (cost.io_time or 0.0) >= _COMPUTING * wall


def _waits(cost: Cost) -> bool:
    """Whether a region spends much of its time in MPI calls."""
    return bool(cost.mpi_time and cost.wall_time and cost.mpi_time >= _WAITING * cost.wall_time)
