"""The account of a run: the wall time of each region on each rank, split into parts such as computing and waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..run.code_regions import inclusive_over
from ..run.preparation import Prepared
from ..run.selection import Selection, over_ranks
from .intervals import part_intervals
from .splitting import Splitting
from .standing_for_all import some_locations

__all__ = ["Account", "find_account"]

Values = npt.NDArray[np.float64]
Group = tuple[tuple[int, ...], tuple[int | str, ...]]


@dataclass(frozen=True)
class Account:
    """The wall time of each rank's first thread, split into parts.

    Attributes:
        ranks: All ranks, and the code regions.
        parts: Names of the available parts, in this order. Computing: ``allocations``; then ``instructions``,
            ``l1_misses``, ``l2_misses``, ``EVENTS`` and ``unexplained``, or only ``computing``. Kernel:
            ``page_faults``, and ``system`` for all other kernel time outside calls. File I/O: ``io_calls``,
            ``io_bytes`` and ``io_rest``, or only ``io``. MPI: ``mpi_calls``, ``mpi_bytes`` and ``mpi_waiting``, or only
            ``mpi``. OpenMP: ``omp_locks``, ``omp_barriers`` and ``omp_waiting``, or only ``omp_waiting``. Rest:
            ``turns``, waiting for a core that other threads use, and ``asleep``; or only ``off`` for both.
        own: Part → ``float64[region]``: exclusive seconds of each region, mean over the ranks.
        inclusive: Part → ``float64[region]``: inclusive seconds, mean over the ranks.
        own_intervals: Part → ``float64[2, region]``: lower and upper limits of ``own``; see ``part_intervals``.
        inclusive_intervals: Part → ``float64[2, region]``: lower and upper limits of ``inclusive``.
        splitting: How time was split into parts, and the prices used.
    """

    ranks: Selection
    parts: tuple[str, ...]
    own: Mapping[str, Values]
    inclusive: Mapping[str, Values]
    own_intervals: Mapping[str, Values]
    inclusive_intervals: Mapping[str, Values]
    splitting: Splitting

    @property
    def instruction(self) -> Values:
        """Exclusive seconds per instruction in each region, ``float64[region]``; NaN if nothing was counted."""
        places = [each.id for each in self.ranks.regions]
        prices = self.splitting.own
        return prices[0, places] if len(prices) else np.full(len(places), np.nan)

    @property
    def fitted(self) -> dict[str, float]:
        """Fitted seconds per instruction, L1 miss and L2 miss, by name of the count; the same in all regions."""
        return dict(zip(self.splitting.counted.names, self.splitting.fitted, strict=True))

    @property
    def unexplained(self) -> float | None:
        """The share of computing time that counts do not explain, 0 to 1; None if nothing was counted or computed."""
        parts = [*self.splitting.counted.names, *self.splitting.counted.events, "unexplained"]
        together = sum(float(self.own[each].sum()) for each in parts if each in self.own)
        return float(self.own["unexplained"].sum()) / together if together > 0 and "unexplained" in self.own else None

    def by_rank(self, regions: Sequence[int], *, own: bool = False) -> dict[str, Values]:
        """Return the seconds that each rank spent in each part: part → ``float64[region, rank]``.

        Args:
            regions: Positions of the requested regions.
            own: Whether to return exclusive instead of inclusive seconds.

        Raises:
            IndexError: There is no such region.
        """
        blocks = [*over_ranks(self.ranks, _rows, self.splitting, tuple(regions), own)]
        return {name: np.concatenate([each[name] for each in blocks], axis=1) for name in self.parts}

    def of_groups(self, groups: Sequence[Group], compared: Selection) -> list[dict[str, float]]:
        """Return the mean seconds that each group of ranks or threads spent in each part, summed over its regions.

        For threads, only computing and kernel time are split into parts. The ranks of a group are assumed to be alike.
        If there are many ranks, a group is represented by its sampled ranks, provided that each group contains some.

        Args:
            groups: For each group: positions of regions, none of which is inside another, and labels of ranks or
                threads.
            compared: The selection to which the labels belong, without excluded ranks.
        """
        some = some_locations(self.ranks.experiment)
        sampled = {place.process for place in some.locations if place.thread == 0}
        of_some = tuple((regions, tuple(label for label in labels if label in sampled)) for regions, labels in groups)
        if not compared.left_out and all(labels for _, labels in of_some):
            return _of_groups(replace(Selection.of(some), regions=compared.regions), self.splitting, of_some)
        blocks = over_ranks(compared, _of_groups, self.splitting, tuple(groups))
        return [{name: sum(part[name] for part in each) for name in each[0]} for each in zip(*blocks, strict=True)]


def find_account(run: Prepared) -> Account:
    """Split the wall time of each region and rank into parts that add up to it.

    Counts, multiplied by prices (seconds per event) that are fitted to the run, explain computing time; the rest of it
    is ``unexplained``. Calls and bytes, multiplied by the machine's calibrated prices, explain the time in file I/O and
    MPI; the rest of the time in MPI counts as waiting.

    Args:
        run: The run; excluded ranks are included in the means.
    """
    ranks, experiment = replace(run.weighed, regions=run.compared.regions), run.experiment
    splitting = Splitting.of(experiment)
    blocks = [*over_ranks(ranks, _sums, splitting)]
    parts = tuple(blocks[0])
    means = {name: np.sum([each[name] for each in blocks], axis=0) / len(ranks.ranks) for name in parts}
    intervals = part_intervals(experiment, splitting, means)
    places = [each.id for each in ranks.regions]
    return Account(
        ranks,
        parts,
        own={name: values[places] for name, values in means.items()},
        inclusive={name: _inclusive(experiment, ranks, values[None])[0] for name, values in means.items()},
        own_intervals={name: intervals[name][:, places] for name in parts},
        inclusive_intervals={name: _inclusive(experiment, ranks, intervals[name]) for name in parts},
        splitting=splitting,
    )


def _inclusive(experiment: Experiment, ranks: Selection, rows: Values) -> Values:
    return inclusive_over(experiment, ranks.regions, rows.T).T


def _sums(ranks: Selection, splitting: Splitting) -> dict[str, Values]:
    """Sum each part over the given ranks: part → ``float64[call path]``, in seconds."""
    return {name: values.sum(axis=1) for name, values in splitting.parts(ranks.experiment)}


def _of_groups(ranks: Selection, splitting: Splitting, groups: tuple[Group, ...]) -> list[dict[str, float]]:
    """Return what a block of ranks or threads contributes to the mean of each group: part → seconds, for each group."""
    labels = np.array(ranks.labels)
    weights = [(list(regions), np.isin(labels, members) / len(members)) for regions, members in groups]
    found: list[dict[str, float]] = [{} for _ in groups]
    split = splitting.computing if ranks.threads else splitting.parts
    for name, values in split(ranks.experiment):
        by_rank = ranks.by_rank(values)
        for sums, (regions, weight) in zip(found, weights, strict=True):
            sums[name] = float(by_rank[regions].sum(axis=0) @ weight)
    return found


def _rows(ranks: Selection, splitting: Splitting, regions: tuple[int, ...], own: bool) -> dict[str, Values]:
    by_rank = ranks.own_by_rank if own else ranks.by_rank
    return {name: by_rank(values)[list(regions)] for name, values in splitting.parts(ranks.experiment)}
