"""The time of a region split by cause, in seconds, and which of these causes have a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Final, TypeVar

import numpy as np

from ..account import EVENTS, Account
from ..critical_path.serialisation import Serialisation
from ..disparity.causes import DisparityCauses, culprits_below
from ..disparity.weights import Weights
from ..evidence.attributes import LEAST_RATE, MISS_RATES
from ..run.arrays import Flags, Values
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.preparation import Prepared
from ..run.selection import complete
from ..run.summary import summary
from .explanation import Explanation
from .finding import Cause, Kind, Saved, Why

__all__ = ["BUSY", "IN_SYSTEM", "PAGE", "Parts", "kind_in_turn"]

# Parts of the account in the memory allocator or the kernel → attribute.
IN_SYSTEM: Final = {"allocations": "allocations", "page_faults": "page_faults", "system": "system_time"}
# All parts of the account that are CPU time outside calls → attribute.
BUSY: Final = {
    "instructions": "instructions",
    "l1_misses": "l1_miss_rate",
    "l2_misses": "l2_miss_rate",
    **{name: name for name in EVENTS},
    "unexplained": "unexplained",
    **IN_SYSTEM,
}
_MEMORY: Final = (("page_faults", Kind.PAGE_FAULTS, Why.FAULTS), ("allocations", Kind.ALLOCATION, Why.ALLOCATION))
_OF_BUSY: Final = frozenset({Kind.FILE_IO, Kind.MEMORY, Kind.PAGE_FAULTS, Kind.ALLOCATION})  # fixes save busy time
_STEADY: Final = 0.5  # cycles per instruction: at two or more instructions per cycle, a core hardly waits
PAGE: Final = 4096  # bytes: the smallest page; huge pages, and all pages of some processors, are larger
_Key = TypeVar("_Key")


def kind_in_turn(path: Serialisation, region: int) -> Kind:
    """Return the kind of loss in a region whose time on the critical path exceeds that of its busiest rank."""
    if path.passes_on[region]:
        return Kind.ONE_AFTER_ANOTHER
    return Kind.LATE if path.in_doubt[region] else Kind.IMBALANCE


@dataclass(frozen=True)
class Parts:
    """The time of each region, split by cause.

    Attributes:
        run: The regions and their costs.
        weights: The regions, classified by the time that they take.
        explanation: The time that each region spends on file I/O and messages.
        account: CPU time by cause; None if instructions, system time and allocations are all unknown.
        in_turn: The seconds saved if ranks were busy in a region at the same time: ``float64[region]``.
        by_paper: The root causes by Liu et al. 2011; None with our own method.
        master: The rank that hands out the work; None if there is none. Nothing is saved if only this rank waits.
    """

    run: Prepared
    weights: Weights
    explanation: Explanation
    account: Account | None
    in_turn: Values
    by_paper: DisparityCauses | None = None
    master: int | None = None

    def of(self, region: int) -> Mapping[str, float]:
        """Return the seconds of a region by attribute, mean over the ranks.

        A region around the whole program counts only with its own code.
        """
        spent, moves = self.explanation.seconds.of, self.explanation.seconds.moves[region]
        moved = float(spent["mpi_bytes"][region]) if moves else 0.0
        found = {"io_bytes": float(spent["io_bytes"][region]), "mpi_bytes": moved}
        if self.account:
            values = self.account.own if self.run.weighed.regions[region].own_code else self.account.inclusive
            found |= {BUSY[name]: float(values[name][region]) for name in self.account.parts if name in BUSY}
        return found

    def uncertain(self, region: int) -> frozenset[str]:
        """Return the attributes that may take less than a tenth of a region's time, given the error of their prices."""
        least = THRESHOLD * float(self.explanation.seconds.time[region])
        return frozenset(name for name, each in self._at_least(region).items() if each <= least)

    def unpriced(self, region: int) -> frozenset[str]:
        """Return the kinds of cache misses among a region's causes whose price is unknown.

        Neither a fit to the run nor a calibration provides this price.
        """
        if self.by_paper:
            return frozenset()
        least = self._at_least(region)
        misses = (each.attribute for each in self.causes(region) if each.attribute in MISS_RATES)
        return frozenset(name for name in misses if isnan(least[name]))

    def _at_least(self, region: int) -> Mapping[str, float]:
        """Return the shortest time that each attribute may take in a region, in seconds, given its price's error.

        NaN if the error is unknown; empty without an account.
        """
        if self.account is None:
            return {}
        own = self.run.weighed.regions[region].own_code
        between = self.account.own_intervals if own else self.account.inclusive_intervals
        return {BUSY[name]: float(between[name][0, region]) for name in self.account.parts if name in BUSY}

    def causes(self, region: int) -> tuple[Cause, ...]:
        """Return the attributes that take at least a quarter of a region's time, or those of ``by_paper``.

        The largest comes first. Attributes in ``uncertain`` are left out. If file I/O calls transfer few bytes each,
        the cause is ``io_calls`` instead of ``io_bytes``.
        """
        if self.by_paper:
            return tuple(Cause(each.attribute) for each in self.by_paper.causes.get(region, ()))
        parts, uncertain = self.of(region), self.uncertain(region)
        whole = max(float(self.explanation.seconds.time[region]), sum(parts.values()))
        spent = sorted((each for each in parts.items() if each[0] not in uncertain), key=lambda each: -each[1])
        large = [Cause(name, each, each / whole) for name, each in spent if each >= CRITERIA.part * whole > 0]
        small_io = self.explanation.seconds.has_small_io[region]
        return tuple(
            replace(each, attribute="io_calls") if small_io and each.attribute == "io_bytes" else each for each in large
        )

    def is_explained(self, region: int) -> bool:
        """Return whether one cause takes most of a region's time or has a remedy.

        With ``by_paper``, any known cause is enough. A region is also explained if its instructions take no longer than
        code without misses (``CRITERIA.dependent``), and no event in ``uncertain`` may take a quarter of its time.
        """
        cycles = self.cycles(region)
        if cycles is not None and cycles <= CRITERIA.dependent and not self._possible(region):
            return True
        known = [each for each in self.causes(region) if each.attribute != "unexplained"]
        is_most = any(is_mostly(each.share, 1.0) for each in known[:1])
        return is_most or bool(self.by_paper and known) or bool({*self.remedies(region)} - {Kind.LATE})

    def cycles(self, region: int) -> float | None:
        """Return the cycles per instruction of a region; None if not counted, or if it executes almost nothing."""
        return self.weights.cpi[0][region] if self.weights.cpi else None

    def is_steady(self, region: int) -> bool:
        """Return whether a region executes at least two instructions per cycle, so that its code hardly waits."""
        cycles = self.cycles(region)
        return cycles is not None and cycles <= _STEADY

    def candidates(self, region: int) -> tuple[str, ...] | None:
        """Return the events that may explain a region's time, most frequent first; None if no such event was counted.

        These events have no price on this machine, or have one but may still take no time. They occur at least once per
        100 instructions, which is also the lowest miss rate that counts.
        """
        experiment, weighed = self.run.experiment, self.run.weighed
        counted = [name for name in EVENTS if complete(experiment, name)]
        if not counted or not complete(experiment, "instructions"):
            return None
        least = LEAST_RATE * float(weighed.sums("instructions")[region])
        priced = {*(self.account.splitting.counted.events if self.account else ())} - self._possible(region)
        number = {name: float(weighed.sums(name)[region]) for name in counted if name not in priced}
        return tuple(sorted((name for name in number if number[name] >= least > 0), key=lambda name: -number[name]))

    def _possible(self, region: int) -> frozenset[str]:
        """Return the events in ``uncertain`` that, at their price, would take at least a quarter of a region's time."""
        parts, least = self.of(region), CRITERIA.part * float(self.explanation.seconds.time[region])
        return frozenset(name for name in self.uncertain(region).intersection(EVENTS) if parts[name] >= least > 0)

    def call_that_moves(self, region: int) -> int | None:
        """Return the call path of the MPI call that transfers the most bytes in a region; None if calls are unknown."""
        experiment, place = self.run.experiment, self.run.weighed.regions[region]
        if not complete(experiment, "mpi_calls"):
            return None
        moved, calls = (summary(experiment, name).sums for name in ("mpi_bytes", "mpi_calls"))
        below = [place.id] if place.own_code else experiment.walk(place.id)
        paths = (each for each in below if experiment.call_paths[each].region.kind == "mpi" and moved[each] > 0)
        most = max(paths, key=lambda path: float(moved[path]), default=None)
        return most if most is not None and calls[most] > 0 else None

    @cached_property
    def _known(self) -> dict[int, Mapping[Kind, Saved]]:
        return {}

    @cached_property
    def _culprits(self) -> frozenset[int]:
        return frozenset(self.weights.disparity.culprits)

    @cached_property
    def _are_files_part(self) -> Flags:
        return self.explanation.seconds.is_part(self.explanation.seconds.of["io_bytes"])

    @cached_property
    def _again(self) -> Values:
        """The share of page faults that reusing memory can avoid: ``float64[region]``; 1 if counts are unknown.

        Faults count if their call path, or one above it, was entered more than once. All faults of a region count if
        their pages take more memory than the processes ever had, because memory was then freed and allocated again.
        """
        experiment, weighed = self.run.experiment, self.run.weighed
        again = np.ones(len(weighed.regions))
        if not (complete(experiment, "visits") and complete(experiment, "page_faults")):
            return again
        entered = summary(experiment, "visits").most > 1
        for index, path in enumerate(experiment.call_paths):  # parents come before children
            entered[index] |= path.parent is not None and entered[path.parent]
        faults = weighed.sums("page_faults")
        np.divide(weighed.sums("page_faults", paths=entered), faults, out=again, where=faults > 0)
        if complete(experiment, "peak_memory"):
            peak = float(summary(experiment, "peak_memory").sums.sum())
            again[(peak > 0) & (PAGE * faults > peak)] = 1.0
        return again

    def remedies(self, region: int) -> Mapping[Kind, Saved]:
        """Map kinds of findings to savings, for causes with a remedy that take at least a quarter of a region's time.

        Time in named regions below does not count. Instructions have no remedy, because all code executes some. If
        ranks may wait for cores, waiting has a remedy only if the critical path shows that ranks are busy at different
        times.
        """
        if region not in self._known:
            self._known[region] = self._remedies(region)
        return self._known[region]

    def _remedies(self, region: int) -> Mapping[Kind, Saved]:
        split, cost, path = self.explanation.seconds, self.run.weighed_costs[region], self.explanation.serialisation
        own = dict(self.of(region))
        for culprit in culprits_below(self.run.weighed.regions, region, self._culprits):
            own = {name: each - self.of(culprit)[name] for name, each in own.items()}
        if self.by_paper:
            causes = {each.attribute for each in self.by_paper.causes.get(region, ())}  # even if seconds are unknown
            own = {name: each for name, each in own.items() if name in causes}
        own = {name: each for name, each in own.items() if name not in self.uncertain(region)}
        least = CRITERIA.part * float(split.time[region])
        found: dict[Kind, Saved] = {}
        files = self._are_files_part[region] and own.get("io_bytes", 0.0) >= least
        if files or is_mostly(cost.io_time, cost.wall_time):
            found[Kind.FILE_IO] = Saved(Why.FILES, float(split.of["io_bytes"][region]))
        if split.moves[region] and own.get("mpi_bytes", 0.0) >= least:
            found[Kind.TRANSFER] = Saved(Why.TRANSFER, float(split.of["mpi_bytes"][region]))
        for name, kind, why in _MEMORY:
            spared = own.get(name, 0.0) * (self._again[region] if kind is Kind.PAGE_FAULTS else 1.0)
            if spared >= least > 0:
                found[kind] = Saved(why, spared)
        misses = sum(own.get(name, 0.0) for name in MISS_RATES)
        if misses >= least > 0 and not self._is_fetched_ahead(region):
            computing = float(split.computing[region]) - sum(own.get(name, 0.0) for name, *_ in _MEMORY)
            found[Kind.MEMORY] = Saved(Why.MISSES, computing, max(computing - float(split.misses[region]), 0.0))
        is_followed = path is not None and bool(_OF_BUSY & found.keys())  # ranks wait for this busy time
        found |= self.followed(region, {kind: each for kind, each in found.items() if kind in _OF_BUSY})
        if path and self.in_turn[region]:
            found[kind_in_turn(path, region)] = self.at_once(region)
        elif split.has_small_calls[region]:
            found[Kind.MESSAGES] = Saved(Why.MESSAGES, float(split.small_calls[region]))
        elif split.waits[region] and not (split.turns or split.chained[region] or is_followed):
            without_turns = float(split.time[region] - split.computing[region])
            moving = found[Kind.TRANSFER].before if Kind.TRANSFER in found else 0.0
            waited = max(min(float(split.mpi[region]), without_turns) - moving, 0.0)
            found[Kind.LATE] = Saved(Why.WAITING, waited * self._of_workers(region))
        return found

    def _of_workers(self, region: int) -> float:
        """Return the mean time in MPI of all ranks except a master, divided by the mean over all ranks."""
        ranks = np.array(self.run.weighed.ranks)
        (times,) = self.run.weighed.rows("mpi_time", [region])
        workers = times[ranks != self.master]
        return float(workers.mean() / times.mean()) if len(workers) and times.any() else 1.0

    def followed(self, region: int, savings: Mapping[_Key, Saved]) -> dict[_Key, Saved]:
        """Scale savings of busy time to a region's time on the critical path; unchanged if the path is unknown.

        A region's time on the path has the same parts as its mean over the ranks. If ranks are busy there at different
        times, the remaining time on the path is a saving of its own: ``at_once``.

        Args:
            region: Position of the region.
            savings: Savings in mean busy time, which do not overlap.
        """
        path = self.explanation.serialisation
        if path is None:
            return {**savings}
        mean, whole = float(path.mean[region]), sum(each.before - each.after for each in savings.values())
        on_path = mean if self.in_turn[region] else float(path.on_path[region])
        of = max(mean, whole)
        part = on_path / of if on_path > 0 and of > 0 else 0.0
        is_other = abs(part - 1) > THRESHOLD
        return {
            key: replace(each, before=part * each.before, after=part * each.after, on_path=is_other)
            for key, each in savings.items()
        }

    def at_once(self, region: int) -> Saved:
        """Return the saving if all ranks were busy in a region at the same time; nothing if ``in_turn`` is 0 there."""
        path = self.explanation.serialisation
        if path is None or not self.in_turn[region]:
            return Saved(Why.AT_ONCE, 0.0)
        return Saved(Why.AT_ONCE, float(path.on_path[region]), float(path.mean[region]), on_path=True)

    def kind(self, region: int) -> Kind:
        """Return the kind in ``remedies`` that saves the most in a region; if there is none, ``LATE`` or ``HOT_SPOT``.

        ``LATE`` in ``remedies`` counts only if the critical path shows that ranks are busy at different times.
        """
        found = {**self.remedies(region)}
        if not self.in_turn[region]:
            found.pop(Kind.LATE, None)
        if found:
            return max(found, key=lambda kind: found[kind].before - found[kind].after)
        cost, split = self.run.weighed_costs[region], self.explanation.seconds
        waits = split.waits[region] or not split.turns
        return Kind.LATE if waits and is_mostly(cost.mpi_time, cost.wall_time) else Kind.HOT_SPOT

    def _is_fetched_ahead(self, region: int) -> bool:
        """Return whether a region accesses consecutive values, which the hardware prefetches.

        No instruction waits for such misses, and nothing in the region can avoid them.
        """
        cycles = self.cycles(region)
        return bool(self.explanation.seconds.walks[region]) and (cycles is None or cycles <= CRITERIA.dependent)
