"""Read Darshan's logs: the time, calls and bytes of each file in a run, per rank if Darshan recorded them per rank.

Each file becomes a call path below the program. If all ranks opened a file, Darshan keeps only sums over ranks.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ...errors import InputError
from ...own_modules import own_module_words
from ..experiment import Experiment
from ..notes import DIVIDED, Notes
from ..region import Region
from ..source import Source
from .damage import is_installed, missing_package
from .profile import Profile

__all__ = ["read"]

_SHARED: Final = -1
_UNCOUNTED: Final = -1
_MOST: Final = 1 << 22  # maximum number of values of all of Darshan's own counters (about 200) together
_MPI: Final = "MPI-IO"
_TIMES: Final = ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")
_OURS: Final[Mapping[str, Sequence[str]]] = {
    "io_time": _TIMES,
    "io_calls": ("READS", "WRITES"),
    "io_bytes": ("BYTES_READ", "BYTES_WRITTEN"),
    "io_bytes_read": ("BYTES_READ",),
    "io_bytes_written": ("BYTES_WRITTEN",),
}
_COUNTED_APART: Final = ("INDEP_", "COLL_", "SPLIT_", "NB_")  # prefixes of the counters for MPI-IO reads and writes
# Counters that are not sums: points in time, extremes, modes, sizes and ranks.
_NO_SUM: Final = re.compile(
    r"_(TIMESTAMP|MODE|ALIGNMENT|STRIDE|ACCESS|RANK|RANK_BYTES|RANK_TIME)$|_MAX_|_RENAMED_FROM$"
)
_ERROR: Final = "Error"
_STREAM: Final = re.compile(r"<STD(IN|OUT|ERR)>$")


def read(source: Source) -> Experiment:
    """Read a log as an experiment.

    Raises:
        InputError: The log is damaged, has no file counters, or the package is not installed.
    """
    log = _log(source)
    processes = int(log["processes"])
    if not 0 < processes <= len(log["records"]) + (1 << 20):
        raise InputError(f"expected a job with at least one process, found {processes} processes")
    command = str(log["command"]).split()
    program = command[0].rpartition("/")[2] if command else "program"
    profile = Profile(f"Darshan {log['version']}".strip())
    root = profile.path(Region("program", program, "", program))
    for name in ("wall_time", *_OURS):
        profile.metric(name)
    places = [profile.location(rank) for rank in range(processes)]
    spent = _Files(log, profile, root, places).fill()
    seconds = float(log["seconds"])
    for rank, place in enumerate(places):
        profile.add("wall_time", root, place, max(seconds - spent[rank], 0.0))
    longest = max(spent.values(), default=0.0)
    if longest > seconds:
        profile.remarks.append(
            f"Darshan: a rank spends {longest:g} s in file I/O, but the run takes {seconds:g} s, so several threads do "
            "I/O at the same time"
        )
    if log["partial"]:
        profile.remarks.append(
            f"Darshan: the log does not cover all files of {', '.join(log['partial'])}, so the sums are too low"
        )
    others = [each for each in log["modules"] if each not in ("POSIX", "STDIO", _MPI)]
    profile.remarks.append(
        "Darshan: the log contains only file I/O, no functions or "
        f"messages{'; not read: ' + ', '.join(others) if others else ''}"
    )
    return profile.experiment(Notes(program=program, command=tuple(command)))


def _log(source: Source) -> Any:
    if not is_installed("darshan"):
        raise missing_package("darshan", "darshan", "no module of this name")
    done = _printed(source.path)
    said = [line.strip() for line in done.stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    # The exit status is not enough, because the output looks complete even after an error.
    if done.returncode or any(line.startswith(_ERROR) for line in said):
        last = said[-1] if said else ""
        how = f"the reader was killed by signal {-done.returncode}" if done.returncode < 0 else last
        raise InputError(f"expected a Darshan log, found a damaged one ({how[:200]})")
    return json.loads(done.stdout)


def _printed(path: Path) -> subprocess.CompletedProcess[bytes]:
    """Print a log with Darshan's library in a separate process."""
    command = [*own_module_words(f"{__package__}.darshan_records"), str(path.absolute())]
    return subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)


class _Files:
    """Adds the records of all files to a profile."""

    def __init__(self, log: Any, profile: Profile, root: int, places: Sequence[int]) -> None:
        self._profile = profile
        self._root = root
        self._places = places
        self._names: Mapping[str, str] = log["names"]
        self._records = log["records"]
        # MPI-IO calls count only for files without other records, because they make POSIX calls themselves.
        self._below = {each["id"] for each in self._records if each["module"] != _MPI}
        known = {name for each in self._records for name, value in each["values"].items() if value >= 0}
        own = {name for name in known if not _NO_SUM.search(name)}
        self._own = own if len(own) * len(self._names) * len(places) <= _MOST else set()
        if own and not self._own:
            profile.remarks.append(
                "Darshan: the log's own counters are left out, because the log has too many files and ranks"
            )
        self._spent: defaultdict[int, float] = defaultdict(float)
        self._impossible: set[str] = set()

    def fill(self) -> Mapping[int, float]:
        """Add all records to the profile, and return the seconds that each rank spent in file I/O."""
        shared = set()
        for record in self._records:
            name = self._names.get(str(record["id"]), f"file {record['id']}")
            path = self._profile.path(Region("io", name.rpartition("/")[2] or name, "", name), self._root)
            rank = record["rank"]
            if rank == _SHARED:
                shared.add(name)
            for place, part in self._parts(rank):
                self._add(record, name, path, place, part)
        if shared:
            self._profile.remarks.append(
                f"Darshan: for {len(shared)} file{'s' * (len(shared) > 1)} that all ranks opened, the log contains "
                f"only sums over ranks, so {DIVIDED}"
            )
        if self._impossible:
            self._profile.remarks.append(
                f"Darshan: negative times are left out ({', '.join(sorted(self._impossible))}), so the sums are too low"
            )
        return self._spent

    def _parts(self, rank: int) -> Iterator[tuple[int, float]]:
        if rank == _SHARED:
            yield from ((place, 1 / len(self._places)) for place in range(len(self._places)))
        elif 0 <= rank < len(self._places):
            yield rank, 1.0
        else:
            raise InputError(f"expected ranks below {len(self._places)}, found rank {rank}")

    def _add(self, record: Any, name: str, path: int, rank: int, part: float) -> None:
        place, values = self._places[rank], record["values"]
        prefix = {_MPI: "MPIIO"}.get(record["module"], record["module"])
        if not _STREAM.search(name) and (record["module"] != _MPI or record["id"] not in self._below):
            for ours, counters in _OURS.items():
                counted = [values.get(f"{prefix}_{way}{each}", 0) for each in counters for way in ("", *_COUNTED_APART)]
                amount = sum(max(value, 0) for value in counted)
                if ours == "io_time" and any(value < 0 and value != _UNCOUNTED for value in counted):
                    self._impossible.add(name.rpartition("/")[2])
                self._profile.add(ours, path, place, amount * part)
                if ours == "io_time":
                    self._profile.add("wall_time", path, place, amount * part)
                    self._spent[rank] += amount * part
        for each, value in values.items():
            if each in self._own and value >= 0:  # Darshan writes negative values for counters missing from its build
                unit = "sec" if each.endswith("_TIME") else "bytes" if "_BYTES_" in each else "occ"
                self._profile.add(self._profile.metric(each, unit), path, place, value * part)
