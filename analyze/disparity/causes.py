"""Why regions weigh (paper 001, section 4.4.2, Fig. 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ..attributes import ABOVE, BYTES_PER_SECOND, LATENCY, LEAST_PART, LEAST_RATE, STREAM, Attribute, per_data_access
from ..code_regions import CRITICAL_SHARE, CodeRegion
from ..costs import Cost
from ..decision_table import DecisionTable, Row
from .classes import HIGH, classify
from .disparity import Disparity

__all__ = ["Cause", "DisparityCauses", "find_disparity_causes"]

_EXPLAINED: Final = 0.1  # of the time that volume must explain
_EXECUTED: Final = 0.5  # of the time that instructions must explain at the program's speed
_TELLING: Final = 0.05  # of the region's time that its I/O calls must take
_READING: Final = 0.25  # of the region's time, in file I/O, that needs no other explanation
_COMPUTING: Final = 0.25  # of the region's time that must be outside of such calls
_WAITING: Final = 0.25
_MANY: Final = 1000  # MPI calls of a rank
_SMALL: Final = 4096  # bytes of a call, which take less time than the call does
_LATENCY: Final = 1e-3  # seconds: a call that takes longer waits for something else than the network
_LINE: Final = 10e-9  # seconds to bring a line from memory that was asked for ahead
_MOVING: Final = 0.3  # of the time that a region computes


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
        waiting: Cores that spend more time in MPI than their volume explains.
        small_calls: Those of them that spend it in many small calls.
    """

    table: DecisionTable
    causes: Mapping[int, tuple[Cause, ...]] = field(default_factory=dict)
    also: Mapping[int, tuple[Cause, ...]] = field(default_factory=dict)
    waiting: frozenset[int] = frozenset()
    small_calls: frozenset[int] = frozenset()


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
    program = sum(_computing(cost) for cost, region in zip(costs, regions, strict=True) if region.depth == 1)
    communicates = [
        _communicates(cost, seconds, program) for cost, seconds in zip(costs, waiting.tolist(), strict=True)
    ]
    raised = [_raised(attribute, attributes, costs, communicates) for attribute in attributes.values()]
    mixtures = set(found.ccr).difference(found.cccr)
    rows = {
        index: Row(region.id, tuple(int(each[index]) for each in raised), int(index in found.cccr))
        for index, region in enumerate(regions)
        if index not in mixtures
    }
    table = DecisionTable(names, tuple(rows.values()))
    waits = frozenset(core for core in found.cccr if _waits(costs[core], communicates[core]))
    causes, also = {}, {}
    for core in found.cccr:
        raised_here = [name for name, value in zip(names, rows[core].values, strict=True) if value]
        telling = table.causes(rows[core])
        if telling == ("instructions",):  # all code executes some: what else is raised says more
            telling = tuple(raised_here)
        if core in waits:  # what its volume explains is the least of its time in MPI
            telling = tuple(name for name in telling if name != "mpi_bytes")
        causes[core] = tuple(_cause(attributes[name], core) for name in telling)
        others = [name for name in raised_here if name not in telling]
        if "l2_miss_rate" not in raised_here and _streams(attributes.get("l2_miss_rate"), core, costs[core]):
            others.append("l2_miss_rate")
        also[core] = tuple(_cause(attributes[name], core) for name in others)
    return DisparityCauses(table, causes, also, waits, frozenset(core for core in waits if _calls_often(costs[core])))


def _cause(attribute: Attribute, core: int) -> Cause:
    values, rest = attribute.of_regions, attribute.of_the_rest
    return Cause(attribute.name, float(values[core]), attribute.of_program, float(rest[core]))


def _raised(
    attribute: Attribute, attributes: Mapping[str, Attribute], costs: Sequence[Cost], communicates: Sequence[bool]
) -> npt.NDArray[np.bool_]:
    """Tell where an attribute is high, and worth it (definitions 17): ``bool[region]``.

    Args:
        attribute: The one.
        attributes: All.
        costs: Of each region.
        communicates: Whether what each region sends and receives matters to it.
    """
    amounts = attribute.of_regions
    if attribute.is_rate:
        amounts = np.where(attribute.parts >= LEAST_PART, amounts, 0.0)
    classes = classify(amounts.tolist())
    if classes is None:
        return np.zeros(len(costs), dtype=bool)
    high = np.array(classes) >= HIGH
    if attribute.name == "mpi_bytes":
        return high & communicates
    if attribute.name == "io_bytes":
        return high & [_does_io(cost) for cost in costs]
    high &= [_computes(cost) for cost in costs]
    if attribute.is_rate:
        high &= [_misses_take_time(attribute, region, cost) for region, cost in enumerate(costs)]
        return high & _misses_much(attribute, per_data_access(attribute, attributes))
    return high & (attribute.parts >= _EXECUTED * np.array([cost.share for cost in costs]))


def _streams(attribute: Attribute | None, region: int, cost: Cost) -> bool:
    """Whether moving lines from memory takes a good part of a region's time, however often others miss."""
    if attribute is None or not _computes(cost):
        return False
    seconds = float(attribute.means[region]) * _LINE
    return bool(cost.compute_time and seconds >= _MOVING * cost.compute_time)


def _misses_take_time(attribute: Attribute, region: int, cost: Cost) -> bool:
    """Whether misses take the part of a region's time that a region must take of the program's to be critical."""
    return float(attribute.means[region]) * LATENCY[attribute.name] >= CRITICAL_SHARE * _computing(cost)


def _misses_much(attribute: Attribute, data: Attribute) -> npt.NDArray[np.bool_]:
    """Compare a region's miss rate with the program's.

    A region that makes most of the program's accesses is the program, and can't surpass it: it is compared with the
    rest if it misses more often, in all data accesses of some rank, than a walk through consecutive numbers would.
    """
    rates = attribute.of_regions
    worth = (attribute.parts >= LEAST_PART) & (rates > LEAST_RATE)
    above_program, above_rest = rates > ABOVE * attribute.of_program, rates > ABOVE * attribute.of_the_rest
    doubtful = worth & above_rest & ~above_program
    often = [bool(doubtful[region]) and data.of_ranks(region).max() > STREAM for region in range(len(rates))]
    return np.asarray(worth & (above_program | (above_rest & np.array(often))))


def _does_io(cost: Cost) -> bool:
    """Whether bytes explain the time of I/O calls, and these matter to the region; a rank's mean.

    Where that time was not measured, it is what the bytes take. Nobody waits for other ranks in file I/O: where it
    takes much of the time, in many small calls or on a slow disk, few bytes are enough.
    """
    volume, wall = cost.io_bytes or 0.0, cost.wall_time or 0.0
    at_least = volume / BYTES_PER_SECOND
    time = at_least if cost.io_time is None else cost.io_time
    if time >= _READING * wall:
        return volume > 0
    return bool(volume > 0 and at_least >= _EXPLAINED * time and time >= _TELLING * wall)


def _communicates(cost: Cost, waited: float, program: float) -> bool:
    """Whether what a region sends and receives matters, however long that took on a machine that others use, too.

    Args:
        cost: Of the region, a rank's mean.
        waited: Seconds in MPI that are waiting for ranks that compute longer.
        program: Seconds that the program computes.
    """
    at_least = (cost.mpi_bytes or 0.0) / BYTES_PER_SECOND
    if _is_small_talk(cost) or at_least <= waited:
        return False
    return at_least >= LEAST_PART * program and at_least >= _EXPLAINED * _computing(cost)


def _is_small_talk(cost: Cost) -> bool:
    """Whether a region sends and receives little at a time, and often."""
    calls = cost.mpi_calls or 0.0
    return calls >= _MANY and 0 < (cost.mpi_bytes or 0.0) <= _SMALL * calls


def _calls_often(cost: Cost) -> bool:
    """Whether a region's time in MPI is that of many small calls."""
    return _is_small_talk(cost) and (cost.mpi_time or 0.0) <= _LATENCY * (cost.mpi_calls or 0.0)


def _computing(cost: Cost) -> float:
    """Give the time that a region computes; where that was not measured, its time outside MPI."""
    return (cost.wall_time or 0.0) - (cost.mpi_time or 0.0) if cost.compute_time is None else cost.compute_time


def _computes(cost: Cost) -> bool:
    """Whether a region's own code takes time enough to be what makes it weigh: counts say nothing of other time."""
    wall = cost.wall_time or 0.0
    return wall - (cost.mpi_time or 0.0) - (cost.io_time or 0.0) >= _COMPUTING * wall


def _waits(cost: Cost, communicates: bool) -> bool:
    """Whether a region spends much of its time in MPI calls, and more than their volume explains."""
    if cost.mpi_bytes is None or not cost.mpi_time or not cost.wall_time or cost.mpi_time < _WAITING * cost.wall_time:
        return False
    return not communicates or cost.mpi_bytes / BYTES_PER_SECOND < _EXPLAINED * cost.mpi_time
