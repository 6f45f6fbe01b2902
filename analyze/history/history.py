"""The runs of one program in a history, and what changed between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from ...experiment import Region
from ...experiment.region import DESCRIPTOR_VERSION
from ..comparison.noise import CONFIDENCE, shift
from .change_points import LEAST_CHANGE, Change, Series, changes_of
from .history_file import KeptRun
from .kept_values import KeptValue

__all__ = ["Changed", "History", "Judged", "Trend", "histories_of"]

Verdict = Literal["more", "less", "unclear", "same", "new", "gone"]


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that changed for good.

    Attributes:
        metric: The metric.
        unit: The metric's unit.
        region: The region; None for the program.
        host: The machine on which the value changed; empty for counts, which are the same on all machines.
        change: The run at which the value changed, and by how much.
    """

    metric: str
    unit: str
    region: Region | None
    host: str
    change: Change


@dataclass(frozen=True, slots=True)
class Judged:
    """A value of new runs, compared with the runs since the last change.

    Attributes:
        metric: The metric.
        unit: The metric's unit.
        region: The region; None for the program.
        before: Smallest value since the last change; 0 if the region is new.
        now: Smallest value of the new runs; 0 if the region is gone.
        verdict: ``more`` or ``less`` if the change is certain, ``unclear`` if it is not, ``same`` if it is less than
            the threshold; ``new`` if the region reaches the threshold now, but was too small to be kept before;
            ``gone`` if it reached the threshold before, but is too small to be kept now.
    """

    metric: str
    unit: str
    region: Region | None
    before: float
    now: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Trend:
    """A value over the runs.

    Attributes:
        metric: The metric.
        unit: The metric's unit.
        region: The region; None for the program.
        host: The machine; empty for counts, which are the same on all machines.
        runs: Indices of the runs that have the value, ascending.
        values: The values in these runs.
        changes: Where the value changed for good.
    """

    metric: str
    unit: str
    region: Region | None
    host: str
    runs: Sequence[int]
    values: Sequence[float]
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class _Key:
    metric: str
    place: str
    host: str

    @property
    def of_program(self) -> _Key:
        return _Key(self.metric, "", self.host)


@dataclass(frozen=True)
class History:
    """The runs of one program with one command line, and with the same numbers of ranks and threads.

    Attributes:
        runs: The runs, in the order in which they were added.
        values: The values of each run.
    """

    runs: Sequence[KeptRun]
    values: Sequence[Sequence[KeptValue]]

    @cached_property
    def changes(self) -> list[Changed]:
        """The values that changed for good, in the order of the runs; the program comes before its regions."""
        found = [
            Changed(key.metric, self._units[key.metric], self._region(key.place, each.run), key.host, each)
            for key, changes in self._changes.items()
            for each in changes
        ]
        return sorted(found, key=lambda each: (each.change.run, each.metric, each.region is not None, -_size(each)))

    @property
    def trends(self) -> list[Trend]:
        """The values of the program, each followed by those of the regions that changed for good, largest first."""
        found = [
            Trend(
                key.metric,
                self._units[key.metric],
                self._region(key.place, each.runs[-1]),
                key.host,
                each.runs,
                each.values,
                self._changes.get(key, ()),
            )
            for key, each in self._series.items()
            if not key.place or key in self._changes
        ]
        return sorted(found, key=lambda each: (each.metric, each.host, each.region is not None, -max(each.values)))

    @property
    def subject(self) -> tuple[str, str, int, int]:
        """The program, command line, and numbers of ranks and threads, which all runs have in common."""
        return _subject(self.runs[0])

    def judge(self, later: History, threshold: float) -> list[Judged]:
        """Compare new runs with the runs since the last change; for each metric, the program comes before its regions.

        Args:
            later: New runs of the same program.
            threshold: The smallest change that counts, as a share of the program.
        """
        changes = self._changes
        starts = {key: changes[key][-1].run if key in changes else 0 for key in self._series}
        found = []
        for key, now in later._series.items():
            if key.of_program not in self._series:
                continue
            least = threshold * min(later._series[key.of_program].values)
            region, unit, smallest = later._region(key.place, now.runs[0]), later._units[key.metric], min(now.values)
            if key in self._series:
                before = self._series[key].since(starts[key])
                verdict = _verdict(before, now, least, len(later._series))
                found.append(Judged(key.metric, unit, region, min(before), smallest, verdict))
            elif smallest >= least:
                found.append(Judged(key.metric, unit, region, 0.0, smallest, "new"))
        for key in self._series:
            if key in later._series:
                continue
            last, values = self._series[key].runs[-1], self._series[key].since(starts[key])
            whole = self._series[key.of_program]
            is_missing = key.of_program in later._series and last == whole.runs[-1]
            if is_missing and min(values) >= threshold * whole.values[-1]:
                found.append(
                    Judged(key.metric, self._units[key.metric], self._region(key.place, last), min(values), 0.0, "gone")
                )
        return sorted(found, key=lambda each: (each.metric, each.region is not None, -abs(each.now - each.before)))

    def not_comparable(self, later: History) -> int:
        """Return the number of new values that cannot be compared, because their metric has no values on their host."""
        return sum(key.of_program not in self._series for key in later._series)

    @property
    def hosts(self) -> list[str]:
        """The machines, in the order of their first run."""
        return [*dict.fromkeys(run.host for run in self.runs)]

    @cached_property
    def _units(self) -> dict[str, str]:
        return {value.metric: value.unit for values in self.values for value in values}

    @cached_property
    def series(self) -> int:
        """The number of values that are tracked from run to run."""
        return len(self._series)

    @cached_property
    def _changes(self) -> dict[_Key, list[Change]]:
        return changes_of(self._series)

    @cached_property
    def _series(self) -> dict[_Key, Series]:
        """The values of each metric and place, in the order of the runs; times are separate for each machine."""
        runs: dict[_Key, list[int]] = defaultdict(list)
        values: dict[_Key, list[KeptValue]] = defaultdict(list)
        programs: dict[_Key, list[float]] = defaultdict(list)
        for number, (run, kept) in enumerate(zip(self.runs, self.values, strict=True)):
            whole = {each.metric: each.value for each in kept if not each.place}
            for each in kept:
                key = _Key(each.metric, each.place, run.host if each.unit == "sec" else "")
                runs[key].append(number)
                values[key].append(each)
                programs[key].append(whole[each.metric])
        return {
            key: Series(
                tuple(runs[key]),
                tuple(each.value for each in values[key]),
                all(each.repeats for each in values[key]),
                tuple(programs[key]),
                tuple(self._places(runs[key])),
            )
            for key in runs
        }

    def _places(self, runs: Sequence[int]) -> Iterator[int]:
        """Yield the indices of runs with a different commit than the previous run; unknown commits always differ."""
        commits = [self.runs[run].commit for run in runs]
        for index, (before, after) in enumerate(pairwise(commits), 1):
            if not after or before != after:
                yield index

    def _region(self, place: str, run: int) -> Region | None:
        """Return the region at a place, with its line in a run; None for the program."""
        if not place:
            return None
        line = next(each.line for each in self.values[run] if each.place == place)
        return Region.from_descriptor(f"{DESCRIPTOR_VERSION}|{place}")._replace(first_line=line)


def histories_of(runs: Sequence[tuple[KeptRun, Sequence[KeptValue]]]) -> list[History]:
    """Group runs by program, command line, ranks and threads, in the order of their first run."""
    found: dict[tuple[str, str, int, int], tuple[list[KeptRun], list[Sequence[KeptValue]]]] = {}
    for run, values in runs:
        alike = found.setdefault(_subject(run), ([], []))
        alike[0].append(run)
        alike[1].append(values)
    return [History(*each) for each in found.values()]


def _subject(run: KeptRun) -> tuple[str, str, int, int]:
    return run.program, run.command, run.ranks, run.threads


def _size(changed: Changed) -> float:
    return abs(changed.change.after - changed.change.before)


def _verdict(before: Sequence[float], now: Series, least: float, tests: int) -> Verdict:
    """Judge one of ``tests`` values of new runs; a difference below ``least`` is not a change."""
    found = shift(before, now.values, repeats=now.repeats)
    if abs(min(now.values) - min(before)) < max(least, LEAST_CHANGE * min(before)):
        return "same"
    chance = found.above if found.change > 0 else found.below
    alike = min(max(before), max(now.values)) >= max(min(before), min(now.values))
    if chance * tests >= 1 - CONFIDENCE or (found.noise == 0 and alike):
        return "unclear"
    return "more" if found.change > 0 else "less"
