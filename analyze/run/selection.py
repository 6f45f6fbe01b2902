"""The ranks, or threads, and regions that an analysis includes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from ...errors import UsageError, way_out
from ...experiment import Experiment
from ...experiment.grouping import up_the_forest
from ...experiment.selection import check_ranks, paths_named
from .arrays import Flags, Indices, Values
from .code_regions import CodeRegion, code_regions, inclusive_over, startup_paths
from .location_blocks import over_locations
from .summary import summary
from .threads import Threads, find_threads

__all__ = ["Selection", "complete", "over_ranks"]

Result = TypeVar("Result")
Rest = ParamSpec("Rest")


@dataclass(frozen=True)
class Selection:
    """The selected code regions and ranks.

    Attributes:
        experiment: The experiment that contains the regions and ranks.
        regions: Every code region except the start-up of MPI, parents before children.
        ranks: The selected ranks; if threads are compared, the rank of each thread.
        columns: Selected locations, in the order of the ranks.
        starts: Index in ``columns`` of each rank's first column; if threads are compared, index of each column.
        all_columns: ``columns``, plus the threads that work in none of the compared call paths.
        left_out: Call paths and locations whose values count as 0.
        threads: How threads share the call paths, if threads are compared; None if ranks are compared.
        programs: ``int[rank]``, numbered from 0: ranks of different programs are not compared. None if there is one
            program.
    """

    experiment: Experiment
    regions: tuple[CodeRegion, ...]
    ranks: tuple[int, ...]
    columns: Indices
    starts: Indices
    all_columns: Indices
    left_out: tuple[tuple[list[int], list[int]], ...] = ()
    threads: Threads | None = None
    programs: Indices | None = None

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        *,
        exclude_ranks: Sequence[int] = (),
        exclude_regions: Sequence[str] = (),
    ) -> Selection:
        """Select everything that is not excluded.

        Args:
            experiment: Any experiment.
            exclude_ranks: Ranks to leave out, for example a master.
            exclude_regions: ``NAME``, ``FILE:LINE``, or either with ``@RANK``: regions whose values are left out (Liu
                et al. 2011, section 4.2.1).

        Raises:
            UsageError: An excluded rank or region does not exist, or no rank is left.
        """
        all_columns, ranks, starts = _columns_by_rank(experiment, exclude_ranks)
        left_out = tuple(_left_out(experiment, each) for each in exclude_regions)
        return cls(experiment, code_regions(experiment), ranks, all_columns, starts, all_columns, left_out)

    def by_thread(self) -> Selection:
        """Return a selection of threads if threads of a process work together; otherwise, the unchanged selection.

        Threads that work in none of the compared call paths are left out.
        """
        threads = find_threads(self.experiment)
        if not threads:
            return self
        columns = self.all_columns[threads.compared[self.all_columns]]
        return replace(self, threads=threads, **self._of_columns(columns))

    @property
    def top(self) -> tuple[int, ...]:
        """Positions of the regions of depth 1, in the order of first entry."""
        return tuple(index for index, each in enumerate(self.regions) if each.depth == 1)

    @property
    def is_part(self) -> bool:
        """Whether anything is left out, or threads are compared."""
        return bool(self.left_out or self.threads or len(self.columns) < len(self.experiment.locations))

    @property
    def labels(self) -> tuple[int | str, ...]:
        """The labels of the compared ranks, or of the compared threads as ``rank.thread``."""
        if not self.threads:
            return self.ranks
        places = [self.experiment.locations[column] for column in self.columns]
        return tuple(f"{place.process}.{place.thread}" for place in places)

    def members(self, programs: int) -> list[Indices]:
        """Return the positions of each program's ranks; in a block of ranks, a program may have none.

        Args:
            programs: The number of programs of all ranks.
        """
        if self.programs is None:
            return [np.arange(len(self.ranks))]
        return [np.flatnonzero(self.programs == each) for each in range(programs)]

    def with_threads(self, columns: Sequence[int]) -> Selection:
        """Return a selection of threads by their columns, each thread with its own values."""
        assert self.threads is not None
        threads = replace(self.threads, serial=np.zeros_like(self.threads.serial), parts=())
        return replace(self, threads=threads, **self._of_columns(columns))

    def _of_columns(self, columns: Sequence[int] | Indices) -> dict[str, Any]:
        ranks = tuple(self.experiment.locations[column].process for column in columns)
        return {"ranks": ranks, "columns": np.array(columns), "starts": np.arange(len(columns))}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the experiment: the receiving process adds its own experiment with ``within``."""
        return {name: value for name, value in self.__dict__.items() if name != "experiment"}

    def within(self, part: Experiment, columns: slice) -> Selection:
        """Return the same selection in a block of the experiment that contains whole processes.

        Args:
            part: The block.
            columns: The slice of all locations that the block contains.
        """
        first, last = np.searchsorted(self.columns, [columns.start, columns.stop])
        low, high = np.searchsorted(self.starts, [first, last])
        everyone = self.all_columns
        return replace(
            self,
            experiment=part,
            ranks=self.ranks[low:high],
            columns=self.columns[first:last] - columns.start,
            starts=self.starts[low:high] - first,
            programs=None if self.programs is None else self.programs[low:high],
            all_columns=everyone[(everyone >= columns.start) & (everyone < columns.stop)] - columns.start,
            left_out=tuple(
                (paths, [each - columns.start for each in of_all if columns.start <= each < columns.stop])
                for paths, of_all in self.left_out
            ),
        )

    def by_rank(self, exclusive: Values) -> Values:
        """Sum values of call paths by region and rank, over the rank's threads: ``float64[region, rank]``, inclusive.

        If threads are compared, each thread has a column, with the values from ``Threads.vectors``.
        """
        return self._inclusive(self._vectors(exclusive))

    def own_by_rank(self, exclusive: Values) -> Values:
        """Return ``by_rank`` with exclusive values."""
        return self.of_ranks(self._kept(self._vectors(exclusive))[[each.id for each in self.regions]])

    def _vectors(self, exclusive: Values) -> Values:
        return self.threads.vectors(exclusive) if self.threads else exclusive.copy()

    def measured(self, exclusive: Values) -> Values:
        """Return ``by_rank`` from each thread's own values only; NaN if a thread does not work in a region."""
        if not self.threads:
            return self.by_rank(exclusive)
        own = self.threads.own
        has_part = inclusive_over(self.experiment, self.regions, own.astype(np.float64))[:, self.columns] > 0
        return np.where(has_part, self._inclusive(np.where(own, exclusive, 0.0)), np.nan)

    def sums(self, metric: str, *, first: bool = False, paths: Flags | None = None) -> Values:
        """Sum a metric over the ranks: ``float64[region]``, inclusive.

        Args:
            metric: Name of a metric without missing values.
            first: Whether only first threads count.
            paths: The call paths that count; all if None.
        """
        if self.is_part:
            return np.asarray(np.sum([*over_ranks(self, _sums, metric, first, paths)], axis=0))
        found = summary(self.experiment, metric)
        exclusive = found.first if first else found.sums
        kept = exclusive if paths is None else np.where(paths, exclusive, 0.0)
        return inclusive_over(self.experiment, self.regions, kept[:, None])[:, 0]

    def rows(self, metric: str, regions: Sequence[int], *, own: bool = False) -> Values:
        """Return ``by_rank`` of a metric in the given regions, without reading others: ``float64[region, rank]``.

        Args:
            metric: Name of the metric.
            regions: Positions of the regions.
            own: Whether to return exclusive values.
        """
        if self.threads:
            of_all = self.own_by_rank if own else self.by_rank
            return of_all(self.experiment.exclusive(metric))[list(regions)]
        found = np.empty((len(regions), len(self.ranks)))
        for place, index in enumerate(regions):
            region = self.regions[index]
            found[place] = self._row(metric, replace(region, own_code=True) if own else region)
        return found

    def _row(self, metric: str, region: CodeRegion) -> Values:
        experiment, hidden = self.experiment, startup_paths(self.experiment)
        all_below = [region.id] if region.own_code else sorted(experiment.walk(region.id))
        paths = [path for path in all_below if region.own_code or path not in hidden]
        values = experiment.rows(metric, np.array(paths, dtype=np.intp))
        place = {path: row for row, path in enumerate(paths)}
        parents = [place.get(-1 if (above := experiment.call_paths[path].parent) is None else above) for path in paths]
        for left_out, columns in self.left_out:
            values = values.copy()
            values[np.ix_([place[path] for path in left_out if path in place], columns)] = 0.0
        return np.asarray(self.of_ranks(up_the_forest("sum", values, parents)[:1])[0])

    def _inclusive(self, values: Values) -> Values:
        return self.of_ranks(inclusive_over(self.experiment, self.regions, self._kept(values)))

    def _kept(self, values: Values) -> Values:
        for paths, columns in self.left_out:
            values[np.ix_(paths, columns)] = 0.0
        return values

    def of_ranks(self, values: Values) -> Values:
        """Sum the columns of each rank's threads: ``float64[row, rank]``."""
        chosen = values if self._is_whole(values.shape[1]) else values[:, self.columns]
        if len(self.starts) == chosen.shape[1]:
            return chosen
        return np.asarray(np.add.reduceat(chosen, self.starts, axis=1))

    def _is_whole(self, columns: int) -> bool:
        """Return whether values with this number of columns belong to exactly the selected locations, in order."""
        return len(self.columns) == columns and bool((self.columns == np.arange(columns)).all())


def complete(experiment: Experiment, metric: str) -> bool:
    """Return whether a metric exists without missing values."""
    return metric in experiment and summary(experiment, metric).missing is None


def over_ranks(
    selection: Selection,
    function: Callable[Concatenate[Selection, Rest], Result],
    *arguments: Rest.args,
    **_: Rest.kwargs,
) -> Iterator[Result]:
    """Yield a function's result for each block of the selected ranks, in order.

    If threads are compared, there is only one block, because shared work can be recognised only from all threads.

    Args:
        selection: The ranks.
        function: Called with the selection of a block, and the arguments; see ``over_locations``.
        arguments: Further arguments, the same for each block; they must not be experiments.
    """
    if selection.threads:
        yield function(selection, *arguments)  # type: ignore[call-arg]
        return
    for found in over_locations(selection.experiment, _of_block, selection, function, arguments):
        yield from found


def _sums(selection: Selection, metric: str, first: bool, paths: Flags | None) -> Values:
    values = selection.experiment.exclusive(metric)
    if first:
        values = np.where([place.thread == 0 for place in selection.experiment.locations], values, 0.0)
    if paths is not None:
        values = np.where(paths[:, None], values, 0.0)
    return np.asarray(selection.by_rank(values).sum(axis=1))


def _of_block(
    part: Experiment, columns: slice, selection: Selection, function: Callable[..., Result], arguments: tuple[Any, ...]
) -> list[Result]:
    """Return a function's result for a block; empty if no rank in it is selected."""
    own = selection.within(part, columns)
    return [function(own, *arguments)] if own.ranks else []


def _columns_by_rank(experiment: Experiment, excluded: Sequence[int]) -> tuple[Indices, tuple[int, ...], Indices]:
    """Return the selected locations sorted by rank: their columns, the ranks, and each rank's first position."""
    processes = np.array([place.process for place in experiment.locations])
    check_ranks(excluded, set(processes.tolist()), experiment.notes.missing)
    columns = np.flatnonzero(~np.isin(processes, excluded))
    if not len(columns):
        raise UsageError("no rank is left to analyse")
    threads = np.array([place.thread for place in experiment.locations])
    columns = columns[np.lexsort((threads[columns], processes[columns]))]
    ranks, starts = np.unique(processes[columns], return_index=True)
    return columns, tuple(ranks.tolist()), starts


def _left_out(experiment: Experiment, pattern: str) -> tuple[list[int], list[int]]:
    """Return the call paths and locations that match ``NAME``, ``FILE:LINE``, or either with ``@RANK``."""
    name, rank = pattern, ""
    paths = paths_named(experiment, name)
    if not paths and "@" in pattern:
        name, _, rank = pattern.rpartition("@")
        paths = paths_named(experiment, name) if rank.isdecimal() else []
    if any(experiment.call_paths[path].parent is None for path in paths):
        raise UsageError(f"region {name}: expected a part of the program, found the whole program")
    if not paths:
        names = (path.region.name for path in experiment.call_paths)
        raise UsageError(f"no region {name}; {way_out(name, names)}")
    columns = [i for i, place in enumerate(experiment.locations) if not rank or place.process == int(rank)]
    if not columns:
        raise UsageError(f"region {pattern}: there is no rank {rank}")
    return sorted({each for path in paths for each in experiment.walk(path)}), columns
