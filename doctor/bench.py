"""Run test programs in a temporary folder, with a time limit, and find the reasons for failures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock
from typing import Final

from ..runtime.failure_reason import failure_reason
from ..runtime.session import end_session
from ..temporary_folder import owned_prefix

__all__ = ["Bench", "Done", "bench", "on_this_machine", "own_program", "reason_of"]

_PATIENCE: Final = 120.0  # seconds on an idle machine
# Words that identify the line of a message that explains a failure; the most reliable words come first.
_TELLING: Final = ("direct launched using", "run as root", "error", "cannot", "unable", "not found", "no such")
_OF_SLURM: Final = ("srun: ", "slurmstepd")  # prefixes of Slurm's lines, which report a failure but not its cause

_OURS_SAY: Final = "autoanalyzer: "
# Lines about progress, and about a failure whose reason is in other lines.
_PROGRESS: Final = re.compile(
    r"the program (was )?ended|nothing was recorded$|building the |copying |counting run in |data \S+$|.* so far$"
)
_LOG: Final = re.compile(r"; see \S+(?= \()")  # refers to a file in the temporary folder, which will be gone

# Prefixes of variables that would distort a trial: our options and, in a launched process, the launcher's variables.
_OURS: Final = "AUTOANALYZER"
_KEPT: Final = ("AUTOANALYZER_CACHE", "AUTOANALYZER_CPU_CLOCK")
_LAUNCHERS: Final = (
    *("SLURM", "PMI", "OMPI_COMM_WORLD", "OMPI_UNIVERSE", "OMPI_MCA_orte", "OMPI_MCA_ess", "OMPI_MCA_pmix"),
    *("PRTE_LAUNCHED", "HYDI", "MPIR_", "MPI_LOCAL"),
)
_JOB: Final = "SLURM_JOB_ID"
# Variables that let two ranks share a core, and that skip the benchmark, which simultaneous trials would distort.
_OWN: Final = {
    "AUTOANALYZER_CALIBRATE": "off",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a program that has ended.

    Attributes:
        status: The exit status, negative for a signal; None if the program was ended because it took too long.
        printed: The program's standard output.
        complained: The program's standard error.
    """

    status: int | None
    printed: str
    complained: str

    @property
    def reason(self) -> str:
        """The line of the program's output that best explains its failure."""
        told = reason_of(f"{self.complained}\n{self.printed}")
        if self.status is None:
            return f"did not end in time{f': {told}' if told else ''}"
        return told or f"exit status {self.status}"


def reason_of(said: str) -> str:
    """Return the line of a program's output that best explains its failure."""
    lines = [line.strip() for line in said.splitlines() if line.strip(" -=*")]
    others = [line for line in lines if not line.startswith(_OURS_SAY)]
    ours = [line for line in lines if line.startswith(_OURS_SAY) and not _PROGRESS.match(line.removeprefix(_OURS_SAY))]
    own = _LOG.sub("", ours[-1].removeprefix(_OURS_SAY)) if ours else ""
    return own or _telling(others) or failure_reason(said)


def _telling(lines: Sequence[str]) -> str:
    own = [line for line in lines if not line.startswith(_OF_SLURM)] or lines
    return next((line.rstrip(",") for word in _TELLING for line in own if word in line.lower()), "")


@dataclass(slots=True)
class Bench:
    """A temporary folder and an environment for test programs.

    Attributes:
        folder: The temporary folder, which no other examination uses.
        environment: The user's environment without variables that would distort trials.
    """

    folder: Path
    environment: Mapping[str, str]
    _started: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    _closed: bool = False

    def place(self, name: str) -> Path:
        """Create and return a folder for one trial."""
        folder = self.folder / name
        folder.mkdir()
        return folder

    def run(
        self,
        words: Sequence[str | Path],
        folder: Path,
        more: Mapping[str, str] | None = None,
        *,
        patience: float = _PATIENCE,
    ) -> Done:
        """Run a program in a folder, and return its result. Any thread may call this method.

        Args:
            words: The program and its arguments.
            folder: The program's working directory.
            more: Additional environment variables.
            patience: Seconds after which the program is ended on an idle machine; on a busy machine, it is ended later.
        """
        with TemporaryFile() as printed, TemporaryFile() as complained:
            try:
                with self._lock:
                    if self._closed:
                        return Done(None, "", "")
                    process = subprocess.Popen(
                        [str(word) for word in words],
                        cwd=folder,
                        env={**self.environment, **(more or {})},
                        stdin=subprocess.DEVNULL,
                        stdout=printed,
                        stderr=complained,
                        start_new_session=True,
                    )
                    self._started.add(process)
            except OSError as error:
                return Done(127, "", f"{words[0]}: cannot be started: {error.strerror}")
            status = _status(process, patience)
            with self._lock:
                self._started.discard(process)
            for stream in (printed, complained):
                stream.seek(0)
            out, err = (stream.read().decode(errors="replace") for stream in (printed, complained))
        return Done(status, out, err)

    def close(self) -> None:
        """End all running programs, and prevent ``run`` from starting more."""
        with self._lock:
            self._closed = True
            running = list(self._started)
        for process in running:
            end_session(process)


def on_this_machine(seconds: float) -> float:
    """Return how many seconds to wait on this machine for work that takes at most ``seconds`` on an idle machine.

    With several runnable processes per core, a program takes that many times as long.
    """
    try:
        runnable = os.getloadavg()[0]
    except OSError:  # unknown in a container without /proc
        return seconds
    return seconds * max(1.0, runnable / (os.cpu_count() or 1))


def _status(process: subprocess.Popen[bytes], patience: float) -> int | None:
    try:
        return process.wait(on_this_machine(patience))
    except subprocess.TimeoutExpired:
        end_session(process)
        return None


@contextmanager
def bench(*, on_node_of_job: bool) -> Iterator[Bench]:
    """Yield a bench; after the block, its programs are ended and its folder is removed.

    Args:
        on_node_of_job: Whether a launcher has started this process; test programs then run only on this node.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if (not name.startswith(_OURS) or name in _KEPT) and not (on_node_of_job and name.startswith(_LAUNCHERS))
    }
    # In a job, the launcher may start programs on other nodes, which do not see this machine's temporary folder.
    in_job = _JOB in environment and os.access(Path.cwd(), os.W_OK)
    where = Path.cwd() if in_job else None
    with TemporaryDirectory(prefix=owned_prefix("doctor"), dir=where, ignore_cleanup_errors=True) as name:
        made = Bench(Path(os.path.realpath(name)), {**environment, **_OWN})
        try:
            yield made
        finally:
            made.close()


def own_program(name: str) -> str:
    """Return the path of one of our programs: in Python's scripts folder or, if it is not there, on ``PATH``."""
    beside = Path(sysconfig.get_path("scripts"), name)
    return str(beside) if beside.exists() else shutil.which(name) or name
