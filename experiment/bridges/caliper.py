"""Read Caliper's profiles: ``.cali`` files, for which Caliper's own reader is used, and Caliper's two kinds of JSON.

A metric's name shows how Caliper aggregated it: ``sum#time.duration`` is a sum over the records of a process, and
``avg#inclusive#sum#time.duration`` is a mean of such sums over processes, in which ranks cannot be distinguished.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source
from .caliper_records import Column, Record, Records
from .profile import Profile
from .rounding import rounding

__all__ = ["read", "read_document"]

_OPERATIONS: Final = ("sum", "min", "max", "avg", "inclusive", "scale", "scsum", "ratio", "percent_total")
_OVER_PROCESSES: Final = re.compile(r"(min|max|avg|sum|any)#((inclusive#)?(sum|min|max|avg|scale)|inclusive)#")
_OF_PROCESSES: Final = re.compile(
    r"(min|max|avg)#((inclusive#)?(sum|min|max|avg|scale)|inclusive)#"
)  # operations that leave the value of a single process unchanged
_NUMBERS: Final = {"count", "time", "time (inc)", "time.duration", "time.duration.ns", "time.inclusive.duration"}
_RANKS: Final = ("mpi.rank", "rank")
_THREADS: Final = ("omp.thread.id", "thread.id", "pthread.id", "thread")
_SLOT: Final = "aggregate.slot"  # the attribute that contains the order of records
_ORDER: Final = "Node order"  # the name of this attribute in JSON
_TIME: Final = re.compile(r"(?:(?:sum|scale)#)*(?:time(?:\.duration(?:\.ns)?)?|cupti\.host\.duration)")
_OF_TIMES: Final = re.compile(r"(?:(?:min|max|avg)#)+(?:sum#)?time(?:\.duration)?")
_VISITS: Final = re.compile(r"(?:sum#)*region\.count")
_COUNT: Final = "count"
_SAMPLER: Final = "cali.sampler.pc"  # the program counter at a sample; Caliper's services prefix it with their names
_OURS: Final = {"io.bytes.read": "io_bytes_read", "io.bytes.written": "io_bytes_written"}
_A_SECOND: Final = {"sec": 1.0, "s": 1.0, "msec": 1e3, "usec": 1e6, "nsec": 1e9, "ns": 1e9}
_INCLUSIVE: Final = re.compile(r"(?P<over>(?:sum#)?)inclusive#|(?P<plain>time) \(inc\)|(?P<old>time\.)inclusive\.")
_DIGIT: Final = 1e-6  # the unit of the last digit of numbers in a .cali file


def read(source: Source) -> Experiment:
    """Read a ``.cali`` file.

    Raises:
        InputError: The file is damaged, has no metrics or was aggregated over processes; or Caliper's package is not
            installed.
    """
    return _experiment(Records.of_stream(source))


def read_document(document: Any) -> Experiment:
    """Read Caliper's JSON.

    Raises:
        InputError: The document is damaged, has no metrics, has too many records, or was aggregated over processes.
    """
    return _experiment(Records.of_document(document))


def _experiment(found: Records) -> Experiment:
    columns = {name: each for name, each in found.columns.items() if _is_metric(each)}
    if not columns:
        raise InputError(f"expected Caliper metrics, found {', '.join([*found.columns][:8]) or 'none'}")
    has_ranks = any(each in record.keys for record in found.records for each in _RANKS)
    _refuse_aggregate(found, columns, has_ranks=has_ranks)
    columns = {name: each for name, each in columns.items() if not _OF_PROCESSES.match(name)}
    profile = Profile(f"Caliper {found.facts.get('cali.caliper.version', '')}".strip())
    reading = _Reading(found, columns, profile)
    reading.fill()
    reading.add_samples()
    if not has_ranks:
        profile.remarks.append("Caliper: the file has no ranks (mpi.rank), so it is read as one process")
    if keys := _summed_over(found, columns):
        profile.remarks.append(f"Caliper: values are summed over {', '.join(keys)}")
    command = found.facts.get("cmdline", "").strip("[]")
    program = found.facts.get("executablepath", "").rpartition("/")[2]
    return profile.experiment(Notes(program=program, command=tuple(command.split(",")) if command else ()))


def _is_metric(column: Column) -> bool:
    operation, _, rest = column.name.partition("#")
    is_result = bool(rest and operation in _OPERATIONS)
    if is_result and not column.is_value:
        raise InputError(f"expected numbers in {column.name}, found other values")
    if not column.is_value or column.name in (*_RANKS, *_THREADS, _ORDER) or column.name.endswith((_SLOT, "address")):
        return False
    return column.is_metric or column.name in _NUMBERS or is_result


def _refuse_aggregate(found: Records, columns: Iterable[str], *, has_ranks: bool) -> None:
    """Raise InputError if values were aggregated over processes, because they do not show each rank's time."""
    size = found.facts.get("mpi.world.size", found.facts.get("jobsize", ""))
    over = next((each for each in columns if _OVER_PROCESSES.match(each)), None)
    if has_ranks or size == "1" or (not size and (over is None or _is_of_one(found, columns))):
        return
    raise InputError(
        f"expected a Caliper profile with ranks (mpi.rank), found one aggregated over {size or 'all'} "
        f"processes{f' ({over})' if over else ''}, in which ranks cannot be distinguished; record one with "
        "CALI_CONFIG=hatchet-region-profile"
    )


def _is_of_one(found: Records, columns: Iterable[str]) -> bool:
    """Return whether an aggregate covers a single process: its minimum, maximum, mean and sum are equal."""
    ways: defaultdict[str, list[str]] = defaultdict(list)
    for name in columns:
        operation, _, rest = name.partition("#")
        if _OVER_PROCESSES.match(name) and operation != "any":
            ways[rest].append(name)
    several = [each for each in ways.values() if len(each) > 1]
    return bool(several) and all(
        len({record.values.get(name) for name in names}) == 1 for names in several for record in found.records
    )


def _summed_over(found: Records, columns: Iterable[str]) -> list[str]:
    """Return the keys that distinguish records, except for call paths, ranks, threads and metrics."""
    seen: dict[str, str] = {}
    many = set()
    for record in found.records:
        many |= {key for key, value in record.keys.items() if seen.setdefault(key, value) != value}
    known = {*_RANKS, *_THREADS, *columns, _ORDER}
    left = (each for each in many - known if not _OVER_PROCESSES.match(each))
    return sorted(each for each in left if not each.endswith(_SLOT))


class _Reading:
    """Converts records to a profile."""

    def __init__(self, found: Records, columns: Mapping[str, Column], profile: Profile) -> None:
        self._records = found.records
        self._profile = profile
        self._root = self._add_root(found)
        exclusive = {name: each for name, each in columns.items() if not _INCLUSIVE.match(name)}
        self._a_second = self._without_unit({**exclusive, **columns})
        inclusive = {_stripped(name): name for name in columns if _INCLUSIVE.match(name)}
        self._exclusive = self._named(exclusive)
        same = {self._meaning(name) for name in exclusive}
        self._inclusive = self._named(
            {name: columns[name] for base, name in inclusive.items() if self._meaning(base) not in same}
        )

    def fill(self) -> None:
        rows = [(self._path(each), self._location(each), each.values) for each in self._records]
        for path, location, values in rows:
            for name, (metric, scale) in self._exclusive.items():
                if name in values:
                    self._profile.add(metric, path, location, values[name] / scale)
        for name, (metric, scale) in self._inclusive.items():
            whole: defaultdict[tuple[int, int], float] = defaultdict(float)
            for path, location, values in rows:
                if name in values:
                    whole[path, location] += values[name] / scale
            for (path, location), value in self._alone(whole, _DIGIT / scale).items():
                self._profile.add(metric, path, location, value)

    def add_samples(self) -> None:
        """Set the amount that one sample represents, if the records contain sample counts from Caliper's sampler."""
        sampled = [
            each.values
            for each in self._records
            if any(key.endswith(_SAMPLER) for key in each.keys) and each.values.get(_COUNT, 0.0) > 0
        ]
        for name, (metric, scale) in self._exclusive.items() if sampled else ():
            number = sum(each[_COUNT] for each in sampled)
            self._profile.samples[metric] = sum(each.get(name, 0.0) for each in sampled) / scale / number

    def _alone(self, whole: Mapping[tuple[int, int], float], digit: float) -> Mapping[tuple[int, int], float]:
        """Return exclusive values: inclusive values minus those of the children, and 0 instead of a rounding error."""
        found = dict(whole)
        parts: defaultdict[tuple[int, int], int] = defaultdict(int)
        for (path, location), value in whole.items():
            above = self._profile.parent(path)
            while above is not None and (above, location) not in whole:
                above = self._profile.parent(above)
            if above is not None and above != self._root:
                found[above, location] -= value
                parts[above, location] += 1
        return {
            key: 0.0 if _is_nothing(value, whole[key], parts[key], digit) else value for key, value in found.items()
        }

    def _add_root(self, found: Records) -> int | None:
        """Add the program as the root if some records have no path, or if there are several outermost regions.

        Return the root's call path, or None if it is not needed.
        """
        if all(each.path for each in found.records) and len({each.path[0] for each in found.records}) == 1:
            return None
        name = found.facts.get("executablepath", "").rpartition("/")[2] or "program"
        return self._profile.path(Region("program", name, "", name))

    def _path(self, record: Record) -> int:
        path = self._profile.chain(record.path, self._root)
        assert path is not None, "records without a path belong to the root"
        return path

    def _location(self, record: Record) -> int:
        rank, thread = (
            next((record.keys[key] for key in keys if key in record.keys), "0") for keys in (_RANKS, _THREADS)
        )
        return self._profile.location(int(float(rank)), int(float(thread)))

    @staticmethod
    def _meaning(name: str) -> str:
        return "wall_time" if _TIME.fullmatch(name) else name.removeprefix("sum#")

    def _named(self, columns: Mapping[str, Column]) -> dict[str, tuple[str, float]]:
        """Map each column to its metric in the profile, and to the number by which its values must be divided."""
        found: dict[str, tuple[str, float]] = {}
        taken: set[str] = set()
        for name, column in columns.items():
            base = _stripped(name)
            ours, scale = self._ours(base, column)
            unit = {"sec": "sec", "byte": "bytes", "bytes": "bytes", "count": "occ"}.get(column.unit, column.unit)
            if ours is None or ours in taken:
                ours, scale = base, 1.0
                if self._a_second and not unit and _OF_TIMES.fullmatch(base):
                    unit, scale = "sec", self._a_second
            taken.add(ours)
            found[name] = self._profile.metric(ours, unit, aggregation=_aggregation(base)), scale
        return found

    def _ours(self, name: str, column: Column) -> tuple[str | None, float]:
        if _TIME.fullmatch(name):
            unit = column.unit or ("nsec" if name.endswith(".ns") else "")
            if unit:
                return ("wall_time", _A_SECOND[unit]) if unit in _A_SECOND else (None, 1.0)
            return "wall_time", self._a_second or 1.0
        if _VISITS.fullmatch(name):
            return "visits", 1.0
        return _OURS.get(name.removeprefix("sum#")), 1.0

    def _without_unit(self, columns: Mapping[str, Column]) -> float | None:
        """Return how many units per second to assume for times without a unit; None if all times have units.

        Up to version 2.2, Caliper wrote whole microseconds or, if so configured, seconds. The files do not show which.
        """
        times = (name for name in columns if _TIME.fullmatch(_stripped(name)) and not name.endswith(".ns"))
        column = next((columns[name] for name in times if not columns[name].unit), None)
        if column is None:
            return None
        values = [each.values[column.name] for each in self._records if column.name in each.values]
        whole = all(value == int(value) for value in values)
        said = "its integers are read as microseconds" if whole else "it is read as seconds"
        self._profile.remarks.append(f"Caliper: {column.name} has no unit; {said}")
        return _A_SECOND["usec"] if whole else 1.0


def _is_nothing(own: float, whole: float, parts: int, digit: float) -> bool:
    """Return whether an exclusive value is only a rounding error, either of the numbers in the file or of the sums."""
    return -digit * (1 + parts) <= own < 0 or (parts > 0 and abs(own) <= float(rounding(whole, 1 + parts)))


def _stripped(name: str) -> str:
    """Return an inclusive metric's name without ``inclusive#``: ``sum#time.duration`` for ``inclusive#sum#…``."""
    return _INCLUSIVE.sub(lambda found: found["over"] or found["plain"] or found["old"] or "", name, count=1)


def _aggregation(name: str) -> str:
    operation = name.partition("#")[0] if "#" in name else ""
    if operation in ("min", "max"):
        return operation
    return "none" if operation in ("avg", "ratio", "percent_total") else "sum"
