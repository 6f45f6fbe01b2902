"""A run's folder, which contains the experiment, or shards that have not been gathered yet."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..experiment.run_folder import (
    COUNTING_TRACE_FILE,
    EXPERIMENT_FILE,
    LARGE_EXPERIMENT_FILE,
    PLAN_FILE,
    POLICY_FILE,
    PURSUIT_FILE,
    TRACE_FILE,
    experiment_of,
)
from .facts import FACTS_FILE, RunFacts
from .python_functions import PYTHON_REPORTS

__all__ = ["MARKS", "RunFolder"]

MARKS: Final = "*.mark"
"""Marker files that processes of a run leave for each other beside their shards, as in runtime/probe/shard_folder.c."""

_SHARDS: Final = "shards"
_LOG: Final = "counting.log"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of a run's data."""

    path: Path

    @property
    def experiment(self) -> Path:
        """The experiment's file: ``experiment.cube``, or ``experiment.cubex`` if that exists."""
        return experiment_of(self.path)

    @property
    def small_experiment(self) -> Path:
        """The file for an experiment of usual size."""
        return self.path / EXPERIMENT_FILE

    @property
    def large_experiment(self) -> Path:
        """The file for a large experiment."""
        return self.path / LARGE_EXPERIMENT_FILE

    @property
    def trace(self) -> Path:
        """The file of the time lines, if any were recorded."""
        return self.path / TRACE_FILE

    @property
    def counting_trace(self) -> Path:
        """The file of the counting run's time lines, which are on its own clock."""
        return self.path / COUNTING_TRACE_FILE

    @property
    def policy(self) -> Path:
        """The file with the metrics that the time lines contain at the end of the run."""
        return self.path / POLICY_FILE

    @property
    def pursuit(self) -> Path:
        """The file that lists, for each period of the run, the metrics found worth recording."""
        return self.path / PURSUIT_FILE

    @property
    def shards(self) -> Path:
        """The folder into which the processes write their shards; removed once these are gathered."""
        return self.path / _SHARDS

    @property
    def plan(self) -> Path:
        """The plan for the next build, written if runs throttled regions; later runs do not remove it."""
        return self.path / PLAN_FILE

    @property
    def counting_log(self) -> Path:
        """The file with the output of a counting run, which is kept if the run fails."""
        return self.path / _LOG

    def run(self, number: int) -> RunFolder:
        """Return the folder of one of several runs whose mean is the experiment; ``number`` counts from 1."""
        return RunFolder(self.path / f"run-{number}")

    def clear_runs(self) -> None:
        """Remove the data of runs that an earlier experiment averaged, and their folders if these are then empty.

        Raises:
            InputError: The data cannot be removed.
        """
        for path in self.path.glob("run-*"):
            if path.name.removeprefix("run-").isdecimal() and path.is_dir():
                RunFolder(path).clear()
                with suppress(OSError):
                    path.rmdir()

    def prepare(self) -> None:
        """Create the folder, and remove the data of an earlier run; other files stay.

        Raises:
            InputError: The folder cannot be created or written.
        """
        self.clear()
        self.join()

    def clear(self) -> None:
        """Create the folder, and remove the data of an earlier run.

        Raises:
            InputError: The folder cannot be created or written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            traces = self.trace, self.counting_trace, self.policy, self.pursuit
            for file in (self.small_experiment, self.large_experiment, *traces, self.counting_log):
                file.unlink(missing_ok=True)
            self.remove_shards(self.shard_files())
        except OSError as error:
            place = error.filename or self.path
            raise InputError(f"{place}: cannot be written: {error.strerror}; choose another folder (-o)") from None

    def take_time_lines(self, run: RunFolder) -> bool:
        """Adopt the time lines of one of several runs as the folder's own; return False if the run recorded none.

        Raises:
            InputError: The time lines cannot be written.
        """
        for theirs, mine in (run.trace, self.trace), (run.policy, self.policy), (run.pursuit, self.pursuit):
            if theirs.exists():
                _linked_or_copied(theirs, mine)
        return run.trace.exists()

    def join(self) -> None:
        """Create the folders; other ranks may do the same at the same time.

        Raises:
            InputError: A folder cannot be created.
        """
        try:
            self.shards.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}; choose another folder (-o)") from None

    def remove_shards(self, files: Iterable[Path]) -> None:
        """Remove shards that are in the experiment now; if other files are left, the folder is kept."""
        others = [file for pattern in (PYTHON_REPORTS, MARKS) for file in self.shards.glob(pattern)]
        for file in [*files, *others, self.shards / FACTS_FILE]:
            file.unlink(missing_ok=True)
        with suppress(OSError):
            self.shards.rmdir()

    def has_later_shards(self) -> bool:
        """Return whether a process has begun to record, or has ended, since the experiment was written."""
        written = self.experiment.stat().st_mtime
        shards = self.shard_files()
        facts = RunFacts.read(self.shards)
        running = facts.running if shards and facts.node == os.uname().nodename else []
        ended = running and not any(Path(f"/proc/{pid}").exists() for pid in running)
        return bool(ended) or any(file.stat().st_mtime > written for file in shards)

    def shard_files(self) -> list[Path]:
        """Return the shards, sorted by name."""
        try:
            with os.scandir(self.shards) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".shard"))
        except OSError:
            return []
        return [self.shards / name for name in names]


def _linked_or_copied(file: Path, path: Path) -> None:
    """Make a file available at another path, too, as a hard link if possible, otherwise as a copy."""
    try:
        os.link(file, path)
    except OSError:
        try:
            shutil.copyfile(file, path)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise InputError(f"{path}: cannot be written: {error.strerror}; choose another folder (-o)") from None
