"""The common domain of several experiments: their metrics, call paths and locations (Song et al. 2004, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..call_path import CallPath, name_below_root
from ..experiment import Experiment, Location, Severity
from ..metric import Metric
from ..topology import Topology
from .call_paths import merge_call_paths
from .folding import Folding, fold_throttled
from .history import labels_of, likenesses
from .locations import Hierarchy, System, merge_locations
from .metrics import merge_metrics
from .regions import Alike

__all__ = ["Integration", "integrate"]

_Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Integration:
    """The common domain of several experiments, and the place of each experiment's values in it.

    Attributes:
        operands: The experiments, all with the same call paths folded.
        labels: The name of each operand in messages.
        metrics: The metrics of all operands.
        call_paths: The call paths of all operands.
        locations: The locations of all operands.
        topologies: The topologies of the first operand that has any; empty if machines and nodes were not copied.
        names: For each operand, metric of the domain → the operand's name for it.
        rows: For each operand, the domain's row of each of its call paths.
        columns: For each operand, the domain's column of each of its locations.
        alike: For each operand, its regions that were matched by similarity.
        folding: The call paths that are folded in all operands, because at least one operand has throttled them.
    """

    operands: tuple[Experiment, ...]
    labels: tuple[str, ...]
    metrics: tuple[Metric, ...]
    call_paths: tuple[CallPath, ...]
    locations: tuple[Location, ...]
    topologies: tuple[Topology, ...]
    names: tuple[Mapping[str, str], ...]
    rows: tuple[_Indices, ...]
    columns: tuple[_Indices, ...]
    alike: tuple[tuple[Alike, ...], ...]
    folding: Folding

    @cached_property
    def _kinds(self) -> dict[str, Metric]:
        return {each.name: each for each in self.metrics}

    def likenesses(self) -> tuple[str, ...]:
        """Return texts that show which regions were matched by similarity."""
        return tuple(likenesses(self.labels, self.alike))

    def path_name(self, path: int) -> str:
        """Return the names of the regions below the root, joined by ``/``; for a root, its own name."""
        return name_below_root(self.call_paths, path) or self.call_paths[path].region.name

    def lost(self, operand: int) -> tuple[int, ...]:
        """Return the ranks whose data are lost in this operand but present in other operands."""
        return self._lost[operand]

    @cached_property
    def _lost(self) -> tuple[tuple[int, ...], ...]:
        every = {place.process for place in self.locations}
        missing = ({*each.notes.missing} & every for each in self.operands)
        present = ({place.process for place in each.locations} for each in self.operands)
        return tuple(tuple(sorted(lost - there)) for lost, there in zip(missing, present, strict=True))

    @cached_property
    def _as_they_are(self) -> tuple[bool, ...]:
        """For each operand, whether its call paths and locations are the same as the domain's."""
        shape = len(self.call_paths), len(self.locations)
        return tuple(
            (len(rows), len(columns)) == shape and _in_order(rows) and _in_order(columns)
            for rows, columns in zip(self.rows, self.columns, strict=True)
        )

    def some_rows(self, operand: int, metric: str, rows: _Indices) -> Severity | None:
        """Return the given rows of ``severity``; None if they cannot be read separately."""
        if not self._as_they_are[operand] or metric not in self.names[operand]:
            return None
        return self.operands[operand].alone(self.names[operand][metric], rows)

    def blocks(self, metric: str) -> Iterator[list[Severity]]:
        """Yield the ``severity`` of all operands, one block of rows at a time."""
        names = [each.get(metric) for each in self.names]
        numbers = range(len(self.operands))
        own = {each for each in numbers if self._as_they_are[each] and names[each] is not None}
        whole = {each: self.severity(each, metric) for each in numbers if each not in own}
        if not own:
            yield [whole[each] for each in numbers]
            return
        for parts in zip(*(self.operands[each].blocks(self.names[each][metric]) for each in sorted(own)), strict=True):
            found = dict(zip(sorted(own), (values for _, values in parts), strict=True))
            yield [found[each] if each in own else whole[each][parts[0][0]] for each in numbers]

    def severity(self, operand: int, metric: str) -> Severity:
        """Return an operand's exclusive values on the whole domain; ``float64[call path, location]``.

        If the operand does not have a call path or location, the values of additive metrics are 0 there, and those of
        others are missing (NaN), because 0 would be a wrong minimum or ratio. If it does not have the metric, all
        values are 0, as in the CUBE tools, or missing if they cannot be aggregated. Missing values, and the values of
        ranks that the operand has lost, stay missing. Do not change the result, which may be the operand's own array.
        """
        shape = (len(self.call_paths), len(self.locations))
        kind = self._kinds[metric].aggregation
        if metric in self.names[operand]:
            values = self.operands[operand].exclusive(self.names[operand][metric])
            if self._as_they_are[operand]:
                return values
            extended = np.full(shape, 0.0 if kind == "sum" else np.nan)
            extended[np.ix_(self.rows[operand], self.columns[operand])] = values
        else:
            extended = np.full(shape, np.nan if kind == "none" else 0.0)
        if lost := self.lost(operand):
            extended[:, [place.process in lost for place in self.locations]] = np.nan
        return extended


def integrate(
    operands: Sequence[Experiment],
    *,
    exact: bool = False,
    system: Hierarchy = "auto",
    labels: Sequence[str] | None = None,
) -> Integration:
    """Return the common domain of experiments, and the place of each experiment's values in it.

    Args:
        operands: At least one experiment.
        exact: Match only regions of the same identity. Otherwise, regions whose source has changed are matched by
            similarity.
        system: The operand from which machines and nodes are copied; see ``merge_locations``.
        labels: Names of the operands, for example their file names.

    Raises:
        UsageError: There is no operand, ``system`` is not the number of an operand, or the number of labels is wrong.
    """
    if not operands:
        raise UsageError("expected at least one experiment, found none")
    called = tuple(labels) if labels is not None else labels_of(operands)
    if len(called) != len(operands):
        raise UsageError(f"expected {len(operands)} labels, one per experiment, found {len(called)}")
    metrics, names = merge_metrics([each.metrics for each in operands])
    operands, forest, folding = fold_throttled(operands, called, partial(merge_call_paths, exact=exact))
    merged = merge_locations([each.locations for each in operands], system)
    return Integration(
        operands,
        called,
        metrics,
        forest.call_paths,
        merged.locations,
        _topologies(operands, merged),
        tuple({after: before for before, after in each.items()} for each in names),
        forest.rows,
        merged.columns,
        forest.alike,
        folding,
    )


def _topologies(operands: Sequence[Experiment], system: System) -> tuple[Topology, ...]:
    if system.copied is None:
        return ()
    order = [system.copied, *range(len(operands))]
    owner = next((each for each in order if operands[each].topologies), None)
    if owner is None:
        return ()
    threads = system.threads[owner]
    return tuple(
        replace(each, coordinates={threads[key]: place for key, place in each.coordinates.items() if key in threads})
        for each in operands[owner].topologies
    )


def _in_order(indices: _Indices) -> bool:
    return bool(np.array_equal(indices, np.arange(len(indices))))
