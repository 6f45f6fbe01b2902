"""Find late ranks, and the regions that make them late, by following the program between synchronisations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median_low
from typing import Final

import numpy as np

from ..dissimilarity.rank_vectors import RankVectors
from ..run.arrays import Flags, Values
from ..run.code_regions import CodeRegion, descendants
from ..run.selection import Selection, complete
from ..run.summary import summary

__all__ = ["LateRanks", "find_late_ranks"]

Steps = Iterator["Steps"]  # a generator that yields the generators of the regions below

_LITTLE: Final = 1e-3  # share of the time in MPI; shorter waiting does not affect other ranks
_ROUNDING: Final = 1e-9  # rounding error, relative to a mean
_LOOPS: Final = 2  # nested loops whose first iteration is followed separately; each doubles the work


@dataclass(frozen=True)
class LateRanks:
    """Waiting for late ranks in the MPI calls of each region, exclusive.

    Attributes:
        in_mpi: ``float64[region]``: time in these calls, mean over the ranks.
        seconds: ``float64[region]``: the part of this time that is waiting for ranks that compute longer, mean over the
            ranks.
        shares: Region → culprit → seconds of waiting for the ranks that are slower in this culprit.
    """

    in_mpi: Values
    seconds: Values
    shares: Mapping[int, Mapping[int, float]]


def find_late_ranks(selection: Selection, vectors: RankVectors, culprits: Sequence[int]) -> LateRanks:
    """Follow a program, assuming average iterations, and find how far ranks are ahead of other ranks in each region.

    Regions follow each other in the order of first entry. Regions that are in a loop, or are entered repeatedly,
    alternate::

        main ┬── read                   read; step 1: walls, advance, (own code of loop); step 2: walls, …; write
             ├── loop ┬── walls
             │        └── advance
             └── write

    Each rank starts the first iteration as late as it arrives, and each later iteration as late as it ended the
    previous one. A region's own MPI calls come after the regions below it. In these calls, ranks wait for the last of
    the ranks that hardly wait. Each rank waits for as long as it is ahead of that rank, but in total no longer than its
    measured time minus the shortest measured time of any rank. After that, the rank is no longer ahead.

    Args:
        selection: The ranks, and regions.
        vectors: The ranks' compute time.
        culprits: Regions whose lateness is reported separately.
    """
    program = _Program.of(selection, vectors)
    walk = _Walk(program, tuple(culprits))
    walk.go()
    return LateRanks(program.in_mpi, walk.seconds, walk.shares)


@dataclass(frozen=True)
class _Program:
    """The values of a program that are constant while the ranks are followed through it.

    Attributes:
        selection: The ranks, and regions.
        vectors: The ranks' compute time.
        in_mpi: As in ``LateRanks``.
        roots: Positions of the own code of the entry procedures.
        below: Region → positions of the regions directly below it, in the order of first entry; also for own code.
        waits: For each region, whether it or a region below it has more than a negligible share of the time in MPI.
        visits: For each region, how often the rank with the most entries enters it; empty if unknown.
    """

    selection: Selection
    vectors: RankVectors
    in_mpi: Values
    roots: tuple[int, ...]
    below: tuple[tuple[int, ...], ...]
    waits: tuple[bool, ...]
    visits: tuple[float, ...]

    @classmethod
    def of(cls, selection: Selection, vectors: RankVectors) -> _Program:
        """Read the call tree and its values."""
        experiment, regions = selection.experiment, vectors.regions
        place = {each.id: index for index, each in enumerate(regions)}
        below = tuple(tuple(place[path] for path in experiment.children[each.id] if path in place) for each in regions)
        inclusive = selection.sums("mpi_time") / len(selection.ranks)
        in_mpi = np.array([_own(inclusive, selection.regions, index) for index in range(len(regions))])
        waits = (in_mpi > _LITTLE * in_mpi.sum()).tolist()
        for path in reversed(range(len(experiment.call_paths))):  # visits children before their parents
            parent = experiment.call_paths[path].parent
            if path in place and parent is not None:
                waits[place[parent]] = waits[place[parent]] or waits[place[path]]
        visits = summary(experiment, "visits").most.tolist() if complete(experiment, "visits") else []
        return cls(
            selection,
            vectors,
            in_mpi,
            tuple(place[root] for root in experiment.roots),
            below,
            tuple(waits),
            tuple(visits[each.id] for each in regions) if visits else (),
        )

    def turns(self, index: int) -> tuple[list[int], float]:
        """Return the regions that alternate inside a region, and their usual number of iterations."""
        below = list(self.below[index])
        region = self.selection.experiment.call_paths[self.vectors.regions[index].id].region
        if not self.visits:
            return (below, 2.0) if region.kind == "loop" else ([], 1.0)
        entered = max(self.visits[index], 1.0)
        again = below if region.kind == "loop" else [each for each in below if self.visits[each] > entered]
        return again, max(median_low(self.visits[each] / entered for each in again), 1.0) if again else 1.0

    def own_time(self, index: int) -> Values:
        """Return each rank's exclusive compute time in a region: ``float64[rank]``, in seconds."""
        return np.asarray(_own(self.vectors.values, self.vectors.regions, index))

    def computed(self) -> Values:
        """Return each rank's total compute time: ``float64[rank]``, in seconds."""
        return np.asarray(self.vectors.values[list(self.vectors.top)].sum(axis=0))

    def spent(self, index: int) -> Values:
        """Return each rank's time in a region's own MPI calls: ``float64[rank]``, in seconds."""
        return np.asarray(self.selection.rows("mpi_time", [index], own=True)[0])

    def enter(self, index: int) -> Flags:
        """Return which ranks enter a region: ``bool[rank]``."""
        entries = "visits" if self.visits else "wall_time"
        path = self.vectors.regions[index].id
        if self.vectors.regions[index].own_code or summary(self.selection.experiment, entries).least[path] > 0:
            return np.ones(len(self.selection.ranks), dtype=bool)
        return np.asarray(self.selection.rows(entries, [index])[0] > 0)


@dataclass
class _Walk:
    """The ranks' progress through the program.

    Attributes:
        program: The program that is followed.
        culprits: Regions whose lateness is reported separately.
        computed: ``float64[1 + culprit, rank]``: compute time so far, in total and in each culprit.
        waited: ``float64[1 + culprit, rank]``: waiting so far, and how much lateness it adds to, or removes from, each
            culprit. The sum of both arrays shows how late a rank is; only differences between ranks are meaningful.
        at_loop: ``computed`` when the outermost loop began.
        by_its_end: ``computed`` when this loop ends; for ranks that do not enter the loop, their total compute time.
        seconds: As in ``LateRanks``, so far.
        shares: As in ``LateRanks``, so far.
        around: Number of enclosing loops whose first iteration is followed separately.
    """

    program: _Program
    culprits: tuple[int, ...]
    computed: Values = field(init=False)
    waited: Values = field(init=False)
    at_loop: Values = field(init=False)
    by_its_end: Values = field(init=False)
    seconds: Values = field(init=False)
    shares: dict[int, dict[int, float]] = field(default_factory=dict)
    around: int = 0

    def __post_init__(self) -> None:
        """Start with all ranks at the beginning of the program."""
        self.computed = np.zeros((1 + len(self.culprits), len(self.program.selection.ranks)))
        self.waited = np.zeros_like(self.computed)
        self.at_loop = np.zeros_like(self.computed)
        self.by_its_end = self._in_all
        self.seconds = np.zeros(len(self.program.in_mpi))

    def go(self) -> None:
        """Follow the ranks through the program.

        This is not recursive, because call paths may be deeper than Python's stack.
        """
        for root in self.program.roots:
            under_way = [self._enter(root, executions=1.0, weight=1.0, gone=0.0)]
            while under_way:
                below = next(under_way[-1], None)
                if below is None:
                    under_way.pop()
                else:
                    under_way.append(below)

    def _enter(self, index: int, *, executions: float, weight: float, gone: float) -> Steps:
        """Follow the ranks through a region and everything below it.

        Args:
            index: Position of the region.
            executions: The number of executions over which the region's time is distributed.
            weight: The number of executions that this one represents.
            gone: The share of executions that came before.
        """
        program = self.program
        if not program.waits[index]:
            self._compute(index, executions, inclusive=True)
            return
        again, turns = program.turns(index)
        if not again:
            yield self._turn(index, program.below[index], executions, weight, gone)
            return
        once = [each for each in program.below[index] if each not in again]
        before = [each for each in once if each < again[0]]
        for each in before:
            yield self._enter(each, executions=executions, weight=weight, gone=gone)
        yield self._turns(index, again, executions, weight, turns, gone=gone)
        for each in once[len(before) :]:
            yield self._enter(each, executions=executions, weight=weight, gone=gone)

    def _turns(
        self, index: int, below: Sequence[int], executions: float, weight: float, turns: float, *, gone: float
    ) -> Steps:
        if turns == 1:
            yield self._turn(index, below, executions, weight, gone)
            return
        if not self.around:
            self.at_loop = self.computed.copy()
            within = np.minimum(self.at_loop + self._in_turns(index, below), self._in_all)
            takes_part = np.any([self.program.enter(each) for each in below or [index]], axis=0)
            self.by_its_end = np.where(takes_part, within, self._in_all)
        executions *= turns
        left = turns
        is_separate = self.around < _LOOPS
        if is_separate:
            self.around += 1
            yield self._turn(index, below, executions, weight, gone)
            left, gone = turns - 1, gone + 1 / executions
        computed, waited = self.computed.copy(), self.waited.copy()
        yield self._turn(index, below, executions, weight * left, gone)
        self.computed += (left - 1) * (self.computed - computed)
        self.waited += (left - 1) * (self.waited - waited)
        self.around -= is_separate

    def _turn(self, index: int, below: Sequence[int], executions: float, weight: float, gone: float) -> Steps:
        self._compute(index, executions)
        for each in below:
            yield self._enter(each, executions=executions, weight=weight, gone=gone)
        self._wait(index, executions, weight, gone)

    def _compute(self, index: int, executions: float, *, inclusive: bool = False) -> None:
        program = self.program
        regions, values = program.vectors.regions, program.vectors.values
        whole = inclusive or regions[index].own_code
        time = (values[index] if whole else program.own_time(index)) / executions
        self.computed[[0, *self._rows_around.get(index, ())]] += time
        for row in self._rows_below.get(index, ()) if inclusive else ():
            self.computed[row] += values[self.culprits[row - 1]] / executions

    @cached_property
    def _rows_around(self) -> dict[int, list[int]]:
        """Region → rows of the culprits that are the region or contain it."""
        found: dict[int, list[int]] = {}
        for row, culprit in enumerate(self.culprits, start=1):
            for each in (culprit, *descendants(self.program.vectors.regions, culprit)):
                found.setdefault(each, []).append(row)
        return found

    @cached_property
    def _rows_below(self) -> dict[int, list[int]]:
        """Region → the rows of the culprits below it."""
        regions = self.program.vectors.regions
        above = {child: index for index, region in enumerate(regions) for child in region.children}
        found: dict[int, list[int]] = {}
        for row, culprit in enumerate(self.culprits, start=1):
            each = culprit
            while each in above:
                each = above[each]
                found.setdefault(each, []).append(row)
        return found

    def _wait(self, index: int, executions: float, weight: float, gone: float) -> None:
        program = self.program
        if program.in_mpi[index] <= _LITTLE * program.in_mpi.sum():
            return
        spent, enters = program.spent(index), program.enter(index)
        rows = self.computed + self.waited
        if not enters.all():
            rows += np.where(enters, 0.0, self._beside(gone + 1 / executions))
        late, of_culprits = rows[0], rows[1:]
        hardly = np.flatnonzero(spent <= (1 + _ROUNDING) * spent.mean())
        last = late[hardly].max()
        of_last = of_culprits[:, hardly[late[hardly] >= last - _ROUNDING * abs(last)]].mean(axis=1)
        ahead = np.where(enters, np.maximum(last - late, 0.0), 0.0)
        beyond = spent - spent.min()
        left = 1.0 - self.seconds[index] / beyond.mean() if self.seconds[index] else 1.0
        waited = np.minimum(ahead, max(left, 0.0) / weight * beyond)
        self.seconds[index] += weight * waited.mean()
        self._share_out(
            index, weight, float(waited.mean()), of_culprits[:, hardly].max(axis=1) - of_culprits.mean(axis=1)
        )
        part = np.divide(waited, ahead, out=np.zeros_like(ahead), where=ahead > 0)
        if (np.abs(late + waited - last) <= _ROUNDING * last).all():
            part = enters.astype(np.float64)  # all ranks are equally late now, in total and in each culprit
        self.waited[0] += waited
        self.waited[1:] += part * (of_last[:, None] - of_culprits)

    def _beside(self, begun: float) -> Values:
        """Return the compute time that ranks would have beyond ``computed`` if a loop's work were spread evenly.

        The result has the shape of ``computed``, and is never negative.

        Args:
            begun: The share of iterations that have begun.
        """
        return np.maximum(self.at_loop + begun * (self.by_its_end - self.at_loop) - self.computed, 0.0)

    @property
    def _in_all(self) -> Values:
        program = self.program
        return np.vstack([program.computed(), program.vectors.values[list(self.culprits)]])

    def _in_turns(self, index: int, below: Sequence[int]) -> Values:
        """Return the compute time in all iterations of a region, with the rows of ``computed``."""
        regions, values = self.program.vectors.regions, self.program.vectors.values
        whole = self.program.own_time(index) + values[list(below)].sum(axis=0)
        within = {each for region in below for each in (region, *descendants(regions, region))}
        rows = [whole]
        for culprit in self.culprits:
            is_around = culprit == index or index in descendants(regions, culprit)
            rows.append(values[culprit] if culprit in within else whole * is_around)
        return np.vstack(rows)

    def _share_out(self, index: int, weight: float, seconds: float, late: Values) -> None:
        together = float(late[late > 0].sum())
        if not seconds or together <= 0:
            return
        part, shares = weight * min(1.0, seconds / together), self.shares.setdefault(index, {})
        for culprit, each in zip(self.culprits, late.tolist(), strict=True):
            if each > 0:
                shares[culprit] = shares.get(culprit, 0.0) + part * each


def _own(values: Values, regions: Sequence[CodeRegion], index: int) -> Values:
    """Return a region's exclusive values, computed from inclusive values, ``float64[region, …]``."""
    region = regions[index]
    return values[index] if region.own_code else np.asarray(values[index] - values[list(region.children)].sum(axis=0))
