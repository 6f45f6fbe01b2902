"""The parts of a region's time, in seconds by cause, and those with a remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Final

from ..account import Account
from ..disparity.causes import DisparityCauses, culprits_below
from ..disparity.weights import Weights
from ..evidence.attributes import MISS_RATES
from ..run.arrays import Flags, Values
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.preparation import Prepared
from ..run.selection import complete
from ..run.summary import summary
from .explanation import Explanation
from .finding import Cause, Kind, Saved, Why

__all__ = ["BUSY", "IN_SYSTEM", "Parts"]

# Parts of the account that the system's libraries or its kernel take, and the attribute of each.
IN_SYSTEM: Final = {"allocations": "allocations", "page_faults": "page_faults", "system": "system_time"}
# Likewise of all that are computing, or in the kernel meanwhile.
BUSY: Final = {
    "instructions": "instructions",
    "l1_misses": "l1_miss_rate",
    "l2_misses": "l2_miss_rate",
    "unexplained": "unexplained",
    **IN_SYSTEM,
}
_MEMORY: Final = (("page_faults", Kind.PAGE_FAULTS, Why.FAULTS), ("allocations", Kind.ALLOCATION, Why.ALLOCATION))
_STEADY: Final = 0.5  # cycles per instruction: code of which a processor executes two in each cycle hardly waits


@dataclass(frozen=True)
class Parts:
    """The parts of each region's time.

    Attributes:
        run: The regions, and what they cost.
        weights: Those that weigh.
        explanation: What files and messages take, and all of it.
        account: What computing is; None where neither instructions nor system time are known.
        in_turn: What each region would save if ranks that work in turn worked at once.
        by_paper: Root causes by rough sets; None by our method.
    """

    run: Prepared
    weights: Weights
    explanation: Explanation
    account: Account | None
    in_turn: Values
    by_paper: DisparityCauses | None = None

    def of(self, region: int) -> Mapping[str, float]:
        """Return the seconds of a region by attribute, means over the ranks; a shell counts without its parts."""
        spent, moves = self.explanation.seconds.of, self.explanation.seconds.moves[region]
        moved = float(spent["mpi_bytes"][region]) if moves else 0.0
        found = {"io_bytes": float(spent["io_bytes"][region]), "mpi_bytes": moved}
        if self.account:
            values = self.account.own if self.run.weighed.regions[region].own_code else self.account.inclusive
            found |= {BUSY[name]: float(values[name][region]) for name in self.account.parts if name in BUSY}
        return found

    def uncertain(self, region: int) -> frozenset[str]:
        """Return the attributes that may take as good as no time in a region, by what is known of the account's prices.

        That is less than a tenth of the region's time.
        """
        least = THRESHOLD * float(self.explanation.seconds.time[region])
        return frozenset(name for name, each in self._at_least(region).items() if each <= least)

    def unpriced(self, region: int) -> frozenset[str]:
        """Return the misses among a region's causes whose price neither the run nor the calibration shows.

        Instructions take what is left.
        """
        if self.by_paper:
            return frozenset()
        least = self._at_least(region)
        misses = (each.attribute for each in self.causes(region) if each.attribute in MISS_RATES)
        return frozenset(name for name in misses if isnan(least[name]))

    def _at_least(self, region: int) -> Mapping[str, float]:
        """Return the least that each part of the account takes of a region, by attribute; NaN if that is unknown."""
        if self.account is None:
            return {}
        own = self.run.weighed.regions[region].own_code
        between = self.account.own_intervals if own else self.account.inclusive_intervals
        return {BUSY[name]: float(between[name][0, region]) for name in self.account.parts if name in BUSY}

    def causes(self, region: int) -> tuple[Cause, ...]:
        """Return the large parts of a region's time, the largest first; by the paper its root causes.

        What may take as good as no time is no cause. File I/O is a matter of its calls, and not of its bytes, where
        these are few per call.
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
        """Return whether one part is most of a region's time, or has a remedy, or its instructions hardly wait."""
        cycles = self.cycles(region)
        if cycles is not None and cycles <= CRITERIA.dependent:
            return True
        known = [each for each in self.causes(region) if each.attribute != "unexplained"]
        is_most = any(is_mostly(each.share, 1.0) for each in known[:1])
        return is_most or bool(self.by_paper and known) or bool({*self.remedies(region)} - {Kind.LATE})

    def cycles(self, region: int) -> float | None:
        """Return the cycles of a region per instruction; None if they were not counted."""
        return self.weights.cpi[0][region] if self.weights.cpi else None

    def is_steady(self, region: int) -> bool:
        """Return whether a region hardly waits for anything."""
        cycles = self.cycles(region)
        return cycles is not None and cycles <= _STEADY

    def call_that_moves(self, region: int) -> int | None:
        """Return the call path of the MPI call that moves most in a region; None where calls were not recorded."""
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

    def remedies(self, region: int) -> Mapping[Kind, Saved]:
        """Return what takes a part of a region's time, its own, and has a remedy, by kind.

        Instructions have none, as all code executes some. Nor has waiting where ranks wait for cores, since what else
        they wait for is then not known, unless they work one after another, or are late in turn: the critical path
        shows that.
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
            causes = {each.attribute for each in self.by_paper.causes.get(region, ())}  # misses may have no seconds
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
            if own.get(name, 0.0) >= least > 0:
                found[kind] = Saved(why, own[name])
        misses = sum(own.get(name, 0.0) for name in MISS_RATES)
        if misses >= least > 0 and not self._is_fetched_ahead(region):
            computing = float(split.computing[region]) - sum(own.get(name, 0.0) for name, *_ in _MEMORY)
            found[Kind.MEMORY] = Saved(Why.MISSES, computing, max(computing - float(split.misses[region]), 0.0))
        if path and self.in_turn[region]:
            kind = Kind.ONE_AFTER_ANOTHER if path.passes_on[region] else Kind.IMBALANCE
            found[kind] = self.at_once(region)
        elif split.has_small_calls[region]:
            found[Kind.MESSAGES] = Saved(Why.MESSAGES, float(split.small_calls[region]))
        elif split.waits[region] and not (split.turns or split.chained[region]):
            without_turns = float(split.time[region] - split.computing[region])
            moving = found[Kind.TRANSFER].before if Kind.TRANSFER in found else 0.0
            found[Kind.LATE] = Saved(Why.WAITING, max(min(float(split.mpi[region]), without_turns) - moving, 0.0))
        return found

    def at_once(self, region: int) -> Saved:
        """Return what it saves if all ranks do a region's work at the same time; see ``in_turn``."""
        path = self.explanation.serialisation
        if path is None or not self.in_turn[region]:
            return Saved(Why.AT_ONCE, 0.0)
        return Saved(Why.AT_ONCE, float(path.on_path[region]), float(path.mean[region]), on_path=True)

    def kind(self, region: int) -> Kind:
        """Return the kind of a region's problem: the one with most of its time, among those with a known fix."""
        found = {**self.remedies(region)}
        found.pop(Kind.LATE, None)
        if found:
            return max(found, key=lambda kind: found[kind].before - found[kind].after)
        cost, split = self.run.weighed_costs[region], self.explanation.seconds
        waits = split.waits[region] or not split.turns
        return Kind.LATE if waits and is_mostly(cost.mpi_time, cost.wall_time) else Kind.HOT_SPOT

    def _is_fetched_ahead(self, region: int) -> bool:
        """Return whether misses are those of a walk through an array, and no instruction waits for them.

        Processors fetch ahead in such a walk: nothing in the region can avoid these misses.
        """
        cycles = self.cycles(region)
        return bool(self.explanation.seconds.walks[region]) and (cycles is None or cycles <= CRITERIA.dependent)
