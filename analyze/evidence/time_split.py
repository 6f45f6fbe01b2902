"""The seconds that a region spends on each of its attributes, which decide what is a cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ...experiment.prices import Prices
from ..critical_path.serialisation import Serialisation
from ..run.arrays import Flags, Values
from ..run.costs import Cost, are_small
from ..run.criteria import CRITERIA, TICK
from ..run.selection import Selection, complete
from .attributes import Attribute
from .misses import Misses

__all__ = ["TimeSplit", "time_split"]

_PASSES: Final = 8  # copies of a byte, and transfers of lines for a call, of a message between two processes of a node
_LINE: Final = 64  # bytes


@dataclass(frozen=True)
class TimeSplit:
    """What the time of each region went into, ``float64[region]`` each: inclusive seconds, a mean over the ranks.

    Attributes:
        time: All of it but others' turns on the processors, and polling of MPI meanwhile.
        of: By attribute; those of the miss rates may be the same time.
        small_calls: In many small MPI calls.
        has_small_io: Whether calls of file I/O move so little each that the calls take its time, rather than the bytes.
        waited: For ranks that come late.
        chained: What it would save if ranks worked at the same time, where they work one after another or are late in
            turn, as the critical path tells; 0 elsewhere, and where that is not known.
        mpi: In MPI, where it is known what its calls move; else 0.
        computing: Computed.
        own_computing: The same, without the regions below.
        counts_cycles: Whether cycles tell how much of that time is stalls, at most.
        turns: Whether ranks wait for processors, and so for each other in MPI: they share them, or others hold them.
        misses: The saving from avoiding all misses: halfway between the remaining times if each instruction waits for
            the one before, and if none does, because counts do not show which.
        walks: Whether its misses are no more than those of a walk through consecutive values, which are fetched ahead.
        busy: What all of the program takes without others' turns, and without waiting in MPI: a number.
    """

    time: Values
    of: Mapping[str, Values]
    small_calls: Values
    has_small_io: Flags
    waited: Values
    chained: Values
    mpi: Values
    computing: Values
    own_computing: Values
    counts_cycles: bool
    turns: bool
    misses: Values
    walks: Flags
    busy: float

    def is_part(self, seconds: Values) -> Flags:
        """Return where seconds are a material share of each region's time, and of its busy time."""
        enough = CRITERIA.least_gain * self.busy if self.turns else 0.0
        return np.asarray((seconds > enough) & (seconds >= CRITERIA.part * self.time))

    @cached_property
    def moves(self) -> Flags:
        """Return where MPI volume takes a material share of a region's time, and no less than waiting."""
        moving = self.of["mpi_bytes"]
        return np.asarray(self.is_part(moving) & (moving >= self.waited))

    @cached_property
    def waits(self) -> Flags:
        """Return where a material share is in MPI and not explained by volume, or ranks work in sequence."""
        is_long = self.is_part(self.mpi) & (self.mpi >= TICK)
        return np.asarray((is_long & ~self.moves) | (self.chained > 0))

    @cached_property
    def has_small_calls(self) -> Flags:
        """Return where ``waits`` is rather the time of many small MPI calls, if that is worth a fix."""
        small = self.is_part(self.small_calls) & (self.small_calls >= self.waited)
        return np.asarray(self.waits & small & (self.small_calls >= CRITERIA.least_gain * self.busy))

    def is_own_part(self, attribute: str, region: int, below: Sequence[int]) -> bool:
        """Return whether an attribute takes a material share of a region's time, without named regions below it."""
        spent = self.of[attribute]
        own = float(spent[region]) - sum(float(spent[each]) for each in below)
        return own >= CRITERIA.part * float(self.time[region]) if below else True

    def in_turn(self, least: float) -> list[int]:
        """Return the regions whose ranks work one after another, or arrive late in sequence, if that is worth a fix.

        Args:
            least: The share of what the program takes that is enough.
        """
        return np.flatnonzero((self.chained > 0) & (self.chained >= least * self.busy)).tolist()

    def costly(self, least: float, values: Values, *, seconds: float = 0.0) -> list[int]:
        """Return the regions that spend a material share, enough to be worth a fix, on something with a remedy.

        That is on anything but instructions, which all code executes, and waiting, which has its reason elsewhere; and
        on misses only where cycles tell that something was waited for. A region that itself computes a quarter of what
        the program takes is worth a look, too, where it is classed below one that does not compute half as much, but
        waits or stalls.

        Args:
            least: The share of what the program takes that is enough.
            values: What regions are classed by.
            seconds: Those that must be spent on it, too.
        """
        least = max(least * self.busy, seconds)
        known = ("io_bytes", "mpi_bytes", *(("l1_miss_rate", "l2_miss_rate") if self.counts_cycles else ()))
        remediable = [self.of[name] for name in known if name in self.of]
        costs = np.max([*remediable, self.small_calls], axis=0)
        enough = (costs >= least) & self.is_part(costs)
        own = self.own_computing
        for region in np.flatnonzero((own > 0) & (own >= CRITERIA.part * self.busy)).tolist():
            less = (CRITERIA.outweighs * self.computing <= own[region]) & (self.time >= least)
            enough[region] |= bool(np.any(less & (values > values[region])))
        return np.flatnonzero(enough).tolist()


def time_split(
    ranks: Selection,
    attributes: Mapping[str, Attribute],
    costs: Sequence[Cost],
    waited: Values,
    serialisation: Serialisation | None = None,
    *,
    turns: bool = False,
) -> TimeSplit:
    """Return the seconds that each region's attributes take.

    Files and MPI have the measured time of their calls, MPI without waiting for late ranks. Both have at most the time
    that calls and bytes can take on a slow network or disk, and that of the fastest rank: anything longer is waiting.
    If ranks wait for cores, only the CPU time of calls counts. Instructions have the program's average price; for
    misses see ``misses.py``.

    Args:
        ranks: All of them, and the regions.
        attributes: Those that can be had.
        costs: Of each region.
        waited: What of each region's time in MPI is waiting for late ranks.
        serialisation: What the critical path has of each; None where it is not known.
        turns: Whether ranks waited for cores.
    """

    def cost(name: str) -> Values:
        return np.array([getattr(each, name) or 0.0 for each in costs])

    def mean(metric: str) -> Values | None:
        return ranks.sums(metric) / len(ranks.ranks) if complete(ranks.experiment, metric) else None

    wall, mpi, calls, volume = (cost(each) for each in ("wall_time", "mpi_time", "mpi_calls", "mpi_bytes"))
    files = np.minimum(wall - mpi, CRITERIA.byte * cost("io_bytes"))
    if complete(ranks.experiment, "io_time"):
        files = _in_files(cost("io_time"), mean("io_cpu_time"), mean("io_calls"), cost("io_bytes"), turns=turns)
    outside = wall - mpi - cost("io_time")
    known = [each.compute_time is not None for each in costs]
    computing = np.minimum(np.where(known, cost("compute_time"), outside), outside)
    off_in_mpi = np.maximum(mpi - cost("mpi_cpu_time"), 0.0)
    at_work = mpi - off_in_mpi if turns and off_in_mpi.any() else mpi
    rest = np.maximum(np.minimum(mpi - waited, at_work), 0.0)
    small = are_small(calls, volume)
    of = {
        "io_bytes": files,
        "mpi_bytes": np.where(small, 0.0, np.minimum(rest, CRITERIA.byte * volume)),
    }
    within_node = _within_node(ranks, calls, volume)
    if executed := attributes.get("instructions"):
        price = executed.of_program and computing[list(ranks.top)].sum() / executed.amounts[list(ranks.top)].sum()
        of["instructions"] = np.minimum(executed.amounts * price, computing)
    misses = Misses.of(ranks, attributes, computing)
    of |= misses.seconds()
    time = computing + files + at_work if turns else wall - _turns(ranks, outside - computing, off_in_mpi)
    small_calls = np.where(small & (rest <= CRITERIA.call * calls), rest, 0.0)
    for spent, metric, amount in ((of["mpi_bytes"], "mpi_bytes", volume), (small_calls, "mpi_calls", calls)):
        for region in np.flatnonzero((spent > 0) & (spent >= CRITERIA.part * time)).tolist():
            fastest = amount[region] * _price_of_fastest(ranks, region, metric)
            polled = spent[region] - min(spent[region], fastest, within_node[region])
            spent[region] -= polled
            time[region] -= polled if turns else 0.0  # for a rank that waits for a core
    busy = float((computing + files + of["mpi_bytes"] + small_calls)[list(ranks.top)].sum())
    return TimeSplit(
        time=time,
        of=of,
        small_calls=small_calls,
        has_small_io=are_small(cost("io_calls"), cost("io_bytes")) & (cost("io_calls") > 0),
        waited=waited,
        chained=serialisation.chained if serialisation else np.zeros(len(ranks.regions)),
        mpi=mpi if "mpi_bytes" in attributes else np.zeros_like(mpi),
        computing=computing,
        own_computing=computing - [computing[list(each.children)].sum() for each in ranks.regions],
        counts_cycles=misses.cycle is not None,
        turns=turns,
        misses=misses.avoidable(),
        walks=misses.is_walk,
        busy=busy,
    )


def _within_node(ranks: Selection, calls: Values, volume: Values) -> Values:
    """Return the most that messages can take if all ranks are on one node with known memory speed.

    Lines go to and fro for each call, and all bytes are copied, at most eight times.
    """
    prices, experiment = Prices.of(ranks.experiment.notes.prices), ranks.experiment
    if not (prices.memory_streamed and prices.l2_miss_chased) or experiment.notes.processors is None:
        return np.full(len(calls), np.inf)
    return np.asarray(_PASSES * (calls * prices.l2_miss_chased + volume * prices.memory_streamed / _LINE))


def _price_of_fastest(ranks: Selection, region: int, metric: str) -> float:
    """Return the seconds per byte, or per call, of the fastest rank in a region: the others wait for somebody.

    They are those on a processor, as MPI libraries copy and poll: the rest is others' turns. Of a library that takes
    no processor's time, all count.
    """
    if not all(complete(ranks.experiment, each) for each in ("mpi_time", "mpi_cpu_time", metric)):
        return np.inf
    (time,), (polled,), (done,) = (ranks.rows(each, [region]) for each in ("mpi_time", "mpi_cpu_time", metric))
    time = polled if polled.any() else time
    does = (done > 0) & (time > 0)
    return float((time[does] / done[does]).min()) if does.any() else 0.0


def _turns(ranks: Selection, off: Values, off_in_mpi: Values) -> Values:
    """Return how long ranks were off the processor because of others; in files, a slow disk may be the reason, too.

    The time that the kernel reports as ready is divided in proportion to the time off the processor. If it reports
    none, all time ``off`` the processor outside of MPI and files counts.
    """
    delay = ranks.experiment.notes.run_delay
    if not delay or not complete(ranks.experiment, "cpu_time"):
        return off
    idle = np.maximum(off, 0.0) + off_in_mpi
    mean = sum(delay.values()) / len(ranks.ranks)
    return np.asarray(idle * min(1.0, mean / max(float(idle[list(ranks.top)].sum()), np.finfo(float).tiny)))


def _in_files(time: Values, cpu: Values | None, calls: Values | None, volume: Values, *, turns: bool) -> Values:
    """Subtract time in files that is not I/O: polling of collective calls for other ranks, and waiting for cores."""
    if cpu is None or calls is None:
        return time
    at_most = CRITERIA.call * calls + CRITERIA.byte * volume
    files = time - np.maximum(cpu - at_most, 0.0)
    return np.asarray(np.minimum(files, np.minimum(cpu, at_most) + at_most) if turns else files)
