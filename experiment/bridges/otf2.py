"""Read OTF2 archives as profiles: the events, added up by call path, and the critical path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ..call_path import CallPath
from ..delay import Delay, longest_first
from ..experiment import Experiment
from ..metric import PATH_METRICS, PATH_VISITS, TEAM_TIME
from ..notes import Notes
from ..source import Source
from ..trace.otf2.history import NOWHERE, Events, History
from ..trace.otf2.library import opened
from ..trace.otf2.reader import TIMES, Reading
from .otf2_path import ArchivePath
from .profile import Profile

__all__ = ["read", "read_folder"]

_ANCHOR: Final = "traces.otf2"  # the file with which tools open an archive
_PATH_SOURCE: Final = "derived:wall_time outside MPI and OpenMP waits, of imported:OTF2"
_VISITS_SOURCE: Final = "derived:visits, of imported:OTF2"


def read(source: Source) -> Experiment:
    """Read an archive, given its anchor file.

    Raises:
        InputError: The archive is damaged, no region was entered, or the package is not installed.
    """
    return _profile(source.path)


def read_folder(path: Path) -> Experiment:
    """Read the archive in a folder, for example one written by Score-P.

    Raises:
        InputError: The archive is damaged, no region was entered, or the package is not installed.
    """
    return _profile(path / _ANCHOR)


def _profile(anchor: Path) -> Experiment:
    sums: dict[int, _Sums] = {}
    with opened(anchor) as archive:
        reading = Reading(anchor, archive, lambda location: sums.setdefault(location, _Sums()))

        def worked(location: int, time: float) -> tuple[dict[int, float], dict[int, float]]:
            found = sums[location].worked(time) if location in sums else {}
            busy = {path: seconds for path, seconds in found.items() if seconds > 0 and reading.computes(path)}
            return busy, {path: sums[location].entered.pop(path) for path in busy if path in sums[location].entered}

        def where(location: int) -> int:
            return sums[location].stack[-1] if location in sums and sums[location].stack else NOWHERE

        critical = ArchivePath(archive.definitions, worked, where)
        places = reading.take_events(critical.takes())
        critical.finish(reading.end)
        metrics = reading.metrics()
    profile = Profile("OTF2")
    paths: list[int] = []
    for each in reading.call_paths:
        paths.append(profile.path(each.region, None if each.parent is None else paths[each.parent], each.site))
    amounts = [each for each in metrics if each.additive]  # levels are left out, because they cannot be added up
    names = {profile.metric(each.name, each.unit, each.description) for each in amounts}
    times = names & TIMES.keys()
    locations: dict[int, int] = {}
    for number, place in places.items():
        of = sums[number]
        of.worked(reading.end)
        locations[number] = location = profile.location(place.process, place.thread, place.node or "node")
        for path, seconds in of.seconds.items():
            for time in times:
                if TIMES[time](*reading.kind(path)):
                    profile.add(time, paths[path], location, seconds)
        for (name, path), amount in of.passed.items():
            if name in names - times:
                profile.add(name, paths[path], location, amount)
    left_out = f"; not read: {', '.join(reading.unread)}" if reading.unread else ""
    profile.remarks.append(f"OTF2: values are summed over the whole trace{left_out}"[:300])
    profile.remarks.extend(critical.remarks())
    if not critical.is_known:
        return profile.experiment()
    teams = critical.of_teams()
    found = (critical.on_path(), critical.delayed(), critical.waited(), critical.visits_on_path(), teams)
    known = (*PATH_METRICS, PATH_VISITS, *([TEAM_TIME] if teams else []))
    for metric, values in zip(known, found, strict=False):
        source = _VISITS_SOURCE if metric is PATH_VISITS else _PATH_SOURCE
        profile.metric(metric.name, metric.unit, metric.description, source=source)
        for (path, number), seconds in values.items():
            profile.add(metric.name, paths[path], locations[number], seconds)
    return profile.experiment(Notes(delays=_delays(critical, reading.call_paths)))


def _delays(critical: ArchivePath, call_paths: Sequence[CallPath]) -> tuple[Delay, ...]:
    """Return the delays between regions, summed over the regions' call paths."""
    found: defaultdict[tuple[str, str], dict[bool, float]] = defaultdict(lambda: {True: 0.0, False: 0.0})
    for (waiting, late, by_message), seconds in critical.delays().items():
        found[call_paths[waiting].region.descriptor, call_paths[late].region.descriptor][by_message] += seconds
    return longest_first(Delay(*pair, sum(both.values()), both[True]) for pair, both in found.items())


class _Sums(History):
    """Sums over one location's events, updated with each event.

    Attributes:
        seconds: Call path → the seconds for which it was the innermost call path.
        passed: Metric and call path → the amount counted while this call path was the innermost one.
        entered: Call path → the number of entries that are not yet in the chains of the critical path.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seconds: defaultdict[int, float] = defaultdict(float)
        self.passed: defaultdict[tuple[str, int], float] = defaultdict(float)
        self.entered: defaultdict[int, float] = defaultdict(float)
        # Seconds per call path since ``worked`` was last called.
        self._recent: defaultdict[int, float] = defaultdict(float)
        self._since = 0.0
        self.amounts = _ByName(lambda name: _Amounts(self, name))
        self.counters = _ByName(lambda name: _Counter(self, name))

    def enter(self, time: float, path: int) -> None:
        """Enter a call path."""
        self.entered[path] += 1
        self._stay(time)
        self.stack.append(path)

    def leave(self, time: float) -> None:
        """Return to the previous call path."""
        self._stay(time)
        if self.stack:
            self.stack.pop()

    def worked(self, time: float) -> dict[int, float]:
        """Map call paths to the seconds for which they were the innermost one since the previous call of ``worked``."""
        self._stay(time)
        found, self._recent = self._recent, defaultdict(float)
        for path, seconds in found.items():
            self.seconds[path] += seconds
        return found

    def passes(self, name: str, amount: float) -> None:
        """Add an amount to the current call path; ignore it if there is none."""
        if self.stack:
            self.passed[name, self.stack[-1]] += amount

    def _stay(self, time: float) -> None:
        if self.stack:
            self._recent[self.stack[-1]] += time - self._since
        self._since = time


class _ByName(defaultdict[str, Events]):
    """A dictionary that creates missing entries from their names."""

    def __init__(self, make: Callable[[str], Events]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Events:
        self[name] = found = self._make(name)
        return found


class _Amounts(Events):
    """Adds the amounts of a metric, such as bytes, to a location's sums."""

    def __init__(self, sums: _Sums, name: str) -> None:
        super().__init__()
        self._sums = sums
        self._name = name

    def add(self, time: float, number: float) -> None:
        """Add an amount to the current call path."""
        self._sums.passes(self._name, number)


class _Counter(_Amounts):
    """A counter, whose readings are totals since the start."""

    _shown: float | None = None

    def add(self, time: float, number: float) -> None:
        """Add the difference since the last reading."""
        if self._shown is not None:
            super().add(time, number - self._shown)
        self._shown = number
