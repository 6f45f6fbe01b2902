"""The seconds that each attribute takes in a region; they decide whether the attribute is a cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ...experiment.prices import Prices
from ..critical_path.serialisation import Serialisation
from ..run.arrays import Flags, Values
from ..run.costs import MOSTLY, Cost, are_small
from ..run.criteria import CRITERIA, THRESHOLD, TICK
from ..run.selection import Selection, complete
from .attributes import Attribute
from .misses import Misses

__all__ = ["TimeSplit", "time_split"]

_PASSES: Final = 8  # largest number of copies per byte, and of cache-line transfers per call, within a node
_LINE: Final = 64  # bytes per cache line
_TEST: Final = 5e-8  # seconds per call; a call that starts or completes a message takes longer


@dataclass(frozen=True)
class TimeSplit:
    """How the time of each region was spent; ``float64[region]`` each, inclusive seconds, mean over the ranks.

    Attributes:
        time: The region's time, without waiting for cores, and without polling in MPI while another rank waits for a
            core.
        of: Attribute → seconds that it takes; the times of L1 and L2 misses may overlap.
        small_calls: Time in many small MPI calls.
        polls: Whether nearly all MPI time is spent testing or completing requests, in calls too short to belong to
            messages.
        moves_nothing: Whether no MPI call transfers data, or nearly all MPI time is spent in barriers.
        has_small_io: Whether file I/O calls transfer so few bytes that calls, rather than bytes, account for the time.
        is_slow_io: Whether file I/O is mostly writing, and takes at least twice as long as on a slow disk.
        waited: Waiting for late ranks.
        chained: The estimated saving if ranks worked at the same time instead of one after another, computed from the
            critical path; 0 in regions in which they do not work one after another, and if the path is unknown.
        mpi: Time in MPI if the bytes of its calls were counted; otherwise 0.
        computing: Compute time, without CPU time in file I/O.
        own_computing: Exclusive compute time.
        counts_cycles: Whether cycles were counted, which limit the time that misses can take.
        turns: Whether ranks share cores with each other or with other programs, so that they wait for cores, and
            therefore also for each other in MPI.
        misses: The estimated saving from avoiding all misses. Counts do not show whether each instruction waits for the
            previous one, so this is the mean of two estimates: one if all instructions wait, and one if none waits.
        walks: Whether there are no more misses than in sequential access, in which the hardware prefetches.
        busy: Time of the whole program, without waiting for cores and without waiting in MPI; a single number.
    """

    time: Values
    of: Mapping[str, Values]
    small_calls: Values
    polls: Flags
    moves_nothing: Flags
    has_small_io: Flags
    is_slow_io: Flags
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
        """Return whether seconds are a material share of each region's time and worth a fix: ``bool[region]``.

        Unless ranks wait for cores, any material share is worth a fix.
        """
        enough = CRITERIA.least_gain * self.busy if self.turns else 0.0
        return np.asarray((seconds > enough) & (seconds >= CRITERIA.part * self.time))

    @cached_property
    def moves(self) -> Flags:
        """Whether transfer takes a material share of each region's time, and no less than waiting: ``bool[region]``."""
        moving = self.of["mpi_bytes"]
        return np.asarray(self.is_part(moving) & (moving >= self.waited))

    @cached_property
    def waits(self) -> Flags:
        """Whether MPI takes a material share of each region's time for other reasons than transfer: ``bool[region]``.

        Regions in which ranks work one after another count, too.
        """
        is_long = self.is_part(self.mpi) & (self.mpi >= TICK)
        return np.asarray((is_long & ~self.moves) | (self.chained > 0))

    @cached_property
    def has_small_calls(self) -> Flags:
        """Whether regions in ``waits`` spend enough time to be worth a fix in many small calls: ``bool[region]``."""
        small = self.is_part(self.small_calls) & (self.small_calls >= self.waited)
        return np.asarray(self.waits & small & (self.small_calls >= CRITERIA.least_gain * self.busy))

    @cached_property
    def has_polling(self) -> Flags:
        """Whether calls of regions in ``has_small_calls`` are polling, not messages: ``bool[region]``."""
        return np.asarray(self.has_small_calls & self.polls)

    @cached_property
    def has_empty_calls(self) -> Flags:
        """Whether calls of regions in ``has_small_calls`` transfer no data, and are not polling: ``bool[region]``."""
        return np.asarray(self.has_small_calls & self.moves_nothing & ~self.polls)

    def is_own_part(self, attribute: str, region: int, below: Sequence[int]) -> bool:
        """Return whether an attribute takes a material share of a region's time without the regions in ``below``."""
        spent = self.of[attribute]
        own = float(spent[region]) - sum(float(spent[each]) for each in below)
        return own >= CRITERIA.part * float(self.time[region]) if below else True

    def in_turn(self, least: float) -> list[int]:
        """Return the regions in which ranks work one after another, or the late rank differs between synchronisations.

        Regions in which this is not worth a fix are left out.

        Args:
            least: The minimum share of the program's time that is worth a fix.
        """
        return np.flatnonzero((self.chained > 0) & (self.chained >= least * self.busy)).tolist()

    def costly(self, least: float, values: Values, *, seconds: float = 0.0) -> list[int]:
        """Return the regions that spend much of their time, and enough to be worth a fix, on a cause with a remedy.

        Instructions do not count, because all code executes them. Waiting does not count, because its reason is in
        another region. Misses count only if cycles show stalls. A region whose own computing takes a quarter of the
        program's time counts, too, if its value is below that of a region that computes less than half as long, but
        waits or stalls.

        Args:
            least: The minimum share of the program's time that is worth a fix.
            values: Values by which regions are classified.
            seconds: The minimum number of seconds spent on the cause that is worth a fix.
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

    File I/O takes the measured time of its calls, without polling in collective calls. MPI takes the measured time of
    its calls without waiting for late ranks. Time beyond what its bytes need on a slow network, or beyond the fastest
    rank's time per call or byte, also counts as waiting. If ranks wait for cores, only the CPU time in MPI counts, and
    the time in file I/O is limited to what CPU time and a slow disk explain. Each instruction takes the program's
    average time per instruction; for misses, see ``misses.py``.

    Args:
        ranks: All ranks, and the regions.
        attributes: The available attributes.
        costs: Cost of each region.
        waited: Seconds of waiting for late ranks in each region, a part of its time in MPI.
        serialisation: Each region's contribution to the critical path; None if it is unknown.
        turns: Whether ranks waited for cores.
    """

    def cost(name: str) -> Values:
        return np.array([getattr(each, name) or 0.0 for each in costs])

    def mean(metric: str) -> Values | None:
        return ranks.sums(metric) / len(ranks.ranks) if complete(ranks.experiment, metric) else None

    wall, mpi, calls, volume = (cost(each) for each in ("wall_time", "mpi_time", "mpi_calls", "mpi_bytes"))
    files, cpu_in_files = np.minimum(wall - mpi, CRITERIA.byte * cost("io_bytes")), mean("io_cpu_time")
    if complete(ranks.experiment, "io_time"):
        at_most = _on_slow_disk(cost) if complete(ranks.experiment, "io_calls") else None
        files = _in_files(cost("io_time"), cpu_in_files, at_most, turns=turns)
    outside = wall - mpi - cost("io_time")
    known = [each.compute_time is not None for each in costs]
    on_core = cost("compute_time") - (0.0 if cpu_in_files is None else cpu_in_files)
    computing = np.clip(np.where(known, on_core, outside), 0.0, np.maximum(outside, 0.0))
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
            time[region] -= polled if turns else 0.0  # the rank polls while another waits for a core
    busy = float((computing + files + of["mpi_bytes"] + small_calls)[list(ranks.top)].sum())
    return TimeSplit(
        time=time,
        of=of,
        small_calls=small_calls,
        polls=_polls(ranks, calls, small_calls) if small_calls.any() else np.zeros(len(calls), dtype=bool),
        moves_nothing=(volume == 0) | _takes_nearly_all(ranks, "mpi_barrier_time"),
        has_small_io=are_small(cost("io_calls"), cost("io_bytes")) & (cost("io_calls") > 0),
        is_slow_io=_is_slow_to_write(files, mean("io_bytes_written"), cost),
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


def _on_slow_disk(cost: Callable[[str], Values]) -> Values:
    """Return the longest time that file I/O can take on a slow disk, in seconds, mean over the ranks."""
    return CRITERIA.call * cost("io_calls") + CRITERIA.byte * cost("io_bytes")


def _is_slow_to_write(files: Values, written: Values | None, cost: Callable[[str], Values]) -> Flags:
    """Return whether file I/O is mostly writing and at least twice as slow as on a slow disk; False if unknown."""
    if written is None:
        return np.zeros(len(files), dtype=bool)
    writes = (written > 0) & (written >= MOSTLY * cost("io_bytes"))
    return np.asarray(writes & (files >= CRITERIA.outweighs * _on_slow_disk(cost)))


def _polls(ranks: Selection, calls: Values, spent: Values) -> Flags:
    """Return whether nearly all MPI time is spent testing or completing requests, in calls too short for messages.

    False if the time of requests is unknown.

    Args:
        ranks: All ranks, and the regions.
        calls: Number of MPI calls, mean over the ranks.
        spent: Time in the calls, without waiting: mean seconds over the ranks.
    """
    return np.asarray(_takes_nearly_all(ranks, "mpi_request_time") & (spent < _TEST * calls))


def _takes_nearly_all(ranks: Selection, metric: str) -> Flags:
    """Return whether a metric is nearly all of the time in MPI; False if it is unknown."""
    if not all(complete(ranks.experiment, each) for each in ("mpi_time", metric)):
        return np.zeros(len(ranks.regions), dtype=bool)
    return np.asarray(ranks.sums(metric) >= (1 - THRESHOLD) * ranks.sums("mpi_time"))


def _within_node(ranks: Selection, calls: Values, volume: Values) -> Values:
    """Return the longest time that messages can take if all ranks are on one node, in seconds, mean over the ranks.

    Each call transfers at most eight cache lines between cores, and each byte is copied at most eight times. The time
    is infinite if there are several nodes, or if the speed of the memory is not calibrated.
    """
    prices, experiment = Prices.of(ranks.experiment.notes.prices), ranks.experiment
    if not (prices.memory_streamed and prices.l2_miss_chased) or experiment.notes.processors is None:
        return np.full(len(calls), np.inf)
    return np.asarray(_PASSES * (calls * prices.l2_miss_chased + volume * prices.memory_streamed / _LINE))


def _price_of_fastest(ranks: Selection, region: int, metric: str) -> float:
    """Return the seconds per byte, or per call, of the fastest rank in a region; slower ranks wait for other ranks.

    CPU time is used, because MPI libraries copy and poll, so all other time is waiting for a core. If a library uses no
    CPU time, wall time is used.
    """
    if not all(complete(ranks.experiment, each) for each in ("mpi_time", "mpi_cpu_time", metric)):
        return np.inf
    (time,), (polled,), (done,) = (ranks.rows(each, [region]) for each in ("mpi_time", "mpi_cpu_time", metric))
    time = polled if polled.any() else time
    does = (done > 0) & (time > 0)
    return float((time[does] / done[does]).min()) if does.any() else 0.0


def _turns(ranks: Selection, off: Values, off_in_mpi: Values) -> Values:
    """Return the seconds that ranks waited for a core that others used: ``float64[region]``, mean over the ranks.

    The time for which the kernel reports ranks as ready to run is divided in proportion to the time off the processor.
    If the kernel reports no such time, all time ``off`` the processor outside MPI and file I/O counts; in file I/O, a
    slow disk may be the reason.
    """
    delay = ranks.experiment.notes.run_delay
    if not delay or not complete(ranks.experiment, "cpu_time"):
        return off
    idle = np.maximum(off, 0.0) + off_in_mpi
    mean = sum(delay.values()) / len(ranks.ranks)
    return np.asarray(idle * min(1.0, mean / max(float(idle[list(ranks.top)].sum()), np.finfo(float).tiny)))


def _in_files(time: Values, cpu: Values | None, at_most: Values | None, *, turns: bool) -> Values:
    """Return the time in file I/O, without waiting for cores or polling for other ranks in collective calls."""
    if cpu is None or at_most is None:
        return time
    files = time - np.maximum(cpu - at_most, 0.0)
    return np.asarray(np.minimum(files, np.minimum(cpu, at_most) + at_most) if turns else files)
