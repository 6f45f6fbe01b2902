"""The ranks' performance vectors over the code-region tree: the input for comparing ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np

from ...experiment import Experiment
from ..run.arrays import Indices, Values
from ..run.code_regions import CodeRegion
from ..run.compute_time import Computing, part_by_noise
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, SAMPLING, THRESHOLD
from ..run.overhead import TIMES, are_probes_priced, without_probes
from ..run.selection import Selection, complete, over_ranks
from ..run.summary import summary
from .clusters import Labels, levels, members
from .levelling import Prices

__all__ = ["RankVectors", "by_program"]


@dataclass(frozen=True)
class RankVectors:
    """Inclusive values of one metric over the code-region tree, one vector per rank.

    Attributes:
        experiment: The run that the values come from.
        metric: Name of the compared metric.
        regions: Every code region except the start-up of MPI, parents before children.
        ranks: The rank of each column; if threads are compared, each thread's rank.
        values: ``float64[region, rank]``, inclusive, in the metric's unit, without the overhead of probes, and levelled
            in regions in which this overhead may explain the difference; see ``Selection.by_rank``.
        selection: The selection from which ``measured`` reads the measured values.
        own: Measured values of each thread's own work, if ``selection`` cannot provide them; NaN in regions in which a
            thread does not work.
        measured_share: ``float64[region]``: the share of a region's values that is compared as measured. The remaining
            share is divided among ranks in proportion to their work, which noise does not change.
        deviation: Relative deviation of times of equal work in this run; None if it is unknown.
        programs: As in ``Selection``.
        threads: Names of the threads, ``rank.thread``, one per column, if threads are compared.
    """

    experiment: Experiment
    metric: str
    regions: tuple[CodeRegion, ...]
    ranks: tuple[int, ...]
    values: Values
    selection: Selection
    own: Values | None = None
    measured_share: float | Values = 1.0
    deviation: float | None = None
    programs: Indices | None = None
    threads: tuple[str, ...] = ()

    @classmethod
    def selected(cls, selection: Selection, *, metric: str = "compute_time") -> RankVectors:
        """Build the vectors of the selected ranks and regions."""
        experiment = selection.experiment
        selection = by_program(selection)
        computing = Computing.comparing(experiment) if metric == "compute_time" else None
        priced = metric in TIMES and are_probes_priced(experiment)
        programs = len(_groups(selection.programs, len(selection.ranks))) if priced else 0
        values = np.empty((len(selection.regions), len(selection.ranks)))
        own, end, prices = None, 0, []
        for part, measured, paid in over_ranks(selection, _vectors, metric, computing, programs):
            values[:, end : end + part.shape[1]] = part
            end += part.shape[1]
            own = measured  # only for threads, which are all in one block
            prices += [paid] if paid else []
        if prices and (together := Prices.together(prices)).alike.any():
            end = 0
            for part in over_ranks(selection, _levelling, metric, computing, together):
                values[:, end : end + part.shape[1]] += part
                end += part.shape[1]
        return cls(
            experiment,
            metric,
            selection.regions,
            selection.ranks,
            values,
            selection,
            own,
            computing.measured_share(experiment, selection.regions) if computing else 1.0,
            computing.noise if computing else None,
            selection.programs,
            tuple(map(str, selection.labels)) if selection.threads else (),
        )

    @property
    def labels(self) -> tuple[int | str, ...]:
        """Names of the columns: ranks, or threads as ``rank.thread``."""
        return self.threads or self.ranks

    def measured(self, regions: Sequence[int]) -> Values:
        """Return the measured values in the given regions, overhead of probes included; ``float64[region, rank]``."""
        if self.own is not None:
            return self.own[list(regions)]
        if self.metric != "compute_time":
            return self.selection.rows(self.metric, regions)
        others = (self.selection.rows(each, regions) for each in Computing.of(self.experiment).others)
        return np.asarray(self.selection.rows("cpu_time", regions) - sum(others))

    @cached_property
    def groups(self) -> list[Indices]:
        """Columns of the ranks, by program."""
        return _groups(self.programs, len(self.ranks))

    @property
    def is_noise_guessed(self) -> bool:
        """Whether the noise of this run's times is unknown."""
        return self.metric in TIMES and self.deviation is None

    @cached_property
    def noise(self) -> Values:
        """The difference within which ranks count as alike in each region, in the metric's unit; ``float64[region]``.

        Times of equal work differ by chance. The limit is the sum of two parts, but at least ``bursts``. One part is a
        share of the time that is compared as measured (see ``part_by_noise``), but at least the clocks' resolution. The
        other part is 1 % of the time that was divided in proportion to work. For bytes, and for time off the processor,
        the limit is the threshold of Algorithm 1.
        """
        longest = self.values.max(axis=1)
        if self.metric not in TIMES:
            return np.asarray(THRESHOLD * longest)
        share = part_by_noise(self.deviation)
        as_measured = longest * self.measured_share
        by_chance = np.maximum(share * as_measured, np.minimum(as_measured, CRITERIA.resolution))
        return np.asarray(np.maximum(by_chance + CRITERIA.same_work * (longest - as_measured), self.bursts))

    @cached_property
    def bursts(self) -> Values:
        """The extra time that first uses of memory may cost a rank in a region that runs once; ``float64[region]``.

        Set-up touches new memory. The cost depends on the system, and on the host of a virtual machine: 8 MB took 3 to
        87 ms of CPU time. Times are reliable in regions that are entered repeatedly, and in regions around them, such
        as the loop over time steps. A region that takes most of a run is not set-up. Without page faults, the extra
        time is 0.
        """
        found, experiment = np.zeros(len(self.regions)), self.experiment
        if self.metric not in TIMES or not all(complete(experiment, each) for each in ("visits", "page_faults")):
            return found
        entered, faults = (summary(experiment, each).most for each in ("visits", "page_faults"))
        most = CRITERIA.burst / experiment.notes.runs if faults.any() else 0.0
        whole = self.values[list(self.top)].sum(axis=0).max()
        share, again = np.broadcast_to(self.measured_share, found.shape), np.zeros(len(found), dtype=bool)
        for index, region in reversed([*enumerate(self.regions)]):
            below = list(region.children)
            is_most = is_mostly(float(self.values[index].max()), whole)
            again[index] = is_most or entered[region.id] > 1 or again[below].any()
            if entered[region.id] > 0 and not again[index]:
                own = self.values[index] - self.values[below].sum(axis=0)
                found[index] = min(share[index] * float(own.max()), most)
            found[index] = found[[index, *below]].max()
        return found

    def by_sampling(self, least: Values | float, most: Values | float) -> Values:
        """Return the difference between two ranks that sampling error alone may cause; 0 if the metric was not sampled.

        Args:
            least: The value of one rank, in the metric's unit.
            most: The value of the other rank.
        """
        return np.asarray(SAMPLING * np.sqrt(self.sample * np.maximum(np.add(least, most), 0.0)))

    @property
    def are_totals_measured(self) -> bool:
        """Whether samples only divide the ranks' measured times among regions, so that totals have no sampling error.

        False if regions are left out, and for threads, because they share some regions and not others.
        """
        is_divided = self.sample > 0 and bool(self.experiment.notes.sampled)
        return is_divided and not self.threads and not self.selection.left_out

    @property
    def totals_by_sampling(self) -> float:
        """The difference between the totals of two ranks of one program that sampling error alone may cause."""
        totals = self.values[list(self.top)].sum(axis=0)
        return max(float(self.by_sampling(totals[each].min(), totals[each].max())) for each in self.groups)

    def levels(self, values: Values) -> Labels:
        """Return the cluster of each rank, ``int[rank]``, from values that are known to differ.

        Ranks whose values differ by no more than sampling error share a cluster.

        Args:
            values: ``float64[rank]``, in the metric's unit.
        """
        unit = SAMPLING**2 * self.sample
        # The largest d for which d <= by_sampling(least, least + d).
        return levels(values, reach=lambda least: (unit + sqrt(unit * unit + 8 * unit * max(least, 0.0))) / 2)

    @property
    def sample(self) -> float:
        """The amount of the metric per sample, in its unit; 0 if it was not sampled."""
        samples = self.experiment.notes.samples
        return samples.get("cpu_time" if self.metric == "compute_time" else self.metric, 0.0)

    @property
    def top(self) -> tuple[int, ...]:
        """Positions of the regions of depth 1, in the order of first entry."""
        return tuple(index for index, each in enumerate(self.regions) if each.depth == 1)


def _vectors(
    selection: Selection, metric: str, computing: Computing | None, programs: int
) -> tuple[Values, Values | None, Prices | None]:
    """Return the vectors of the given ranks as compared, the vectors as measured, and the overhead of probes.

    The second result is None unless threads are compared; the third is None if the price of probes is unknown.

    Args:
        selection: The ranks.
        metric: The compared metric.
        computing: How compute time is derived from metrics, if it is compared.
        programs: The number of programs; 0 if the price of probes is unknown.
    """
    part = selection.experiment
    compared, measured = _exclusive(part, metric, computing), None
    if selection.threads:
        measured = selection.measured(computing.values(part) if computing else compared)
    if not programs:
        return selection.by_rank(compared), measured, None
    compared = without_probes(part, metric, compared)
    return selection.by_rank(compared), measured, Prices.of(selection, compared, programs)


def _levelling(selection: Selection, metric: str, computing: Computing | None, prices: Prices) -> Values:
    exclusive = _exclusive(selection.experiment, metric, computing)
    return prices.levelling(selection, without_probes(selection.experiment, metric, exclusive))


def _exclusive(part: Experiment, metric: str, computing: Computing | None) -> Values:
    return computing.compared(part) if computing else part.exclusive(metric)


def _groups(programs: Indices | None, ranks: int) -> list[Indices]:
    return [np.arange(ranks)] if programs is None else [np.array(each) for each in members(programs)]


def by_program(selection: Selection) -> Selection:
    """Return the selection with ranks grouped by program.

    A rank's program is the entry procedure in which the rank spends most time. Processes that ranks forked or spawned
    form groups of their own, even if they run the same program. If there are several programs, ranks without any time
    form another group, because nothing shows which program they run.
    """
    experiment = selection.experiment
    started = np.isin(selection.ranks, experiment.notes.started)
    root = np.zeros(len(started), dtype=np.intp)
    if len(experiment.roots) > 1:
        time = experiment.inclusive("wall_time")[list(experiment.roots)][:, selection.columns]
        spent = np.add.reduceat(time, selection.starts, axis=1)
        root = np.where(spent.any(axis=0), spent.argmax(axis=0), len(spent))
    programs = np.unique(2 * root + started, return_inverse=True)[1]
    return replace(selection, programs=programs if programs.any() else None)
