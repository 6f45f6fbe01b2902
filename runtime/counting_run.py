"""A second run of a program, under the counting tool, in a folder where it may overwrite what it likes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..experiment import Experiment, save
from .build import probe_library
from .cache_geometry import CacheGeometry
from .counting import counting_command
from .facts import RunFacts
from .folder import RunFolder
from .gather import gather
from .join import join_counts
from .launch import launch, measured_environment
from .mpi import find_mpi
from .ref_cycles import with_ref_cycles
from .rtcount import counting_tool
from .scratch import scratch_copy

__all__ = ["CountingRun"]

_FOLDER: Final = "counting"
_LOG: Final = "counting.log"
_OWN_FOLDER: Final = re.compile(r"--?(?:wdir|wd|workdir|chdir)(?:=.*)?$")
_TIMES: Final = 20  # how much longer counting may take


@dataclass(frozen=True, slots=True)
class CountingRun:
    """How counts are simulated.

    Attributes:
        geometry: The caches.
        folder: Where the program runs; None for a copy of the working directory.
    """

    geometry: CacheGeometry
    folder: Path | None = None

    def prepare(self, command: Sequence[str], say: Callable[[str], object]) -> None:
        """Find out whether a command can be counted, before it is timed.

        Raises:
            BuildError: Valgrind is missing, or the tool cannot be built.
            InputError: The command runs its program in a folder of its own choice, or there is no such folder.
        """
        own = next((word for word in command if _OWN_FOLDER.match(word)), None)
        if own:
            raise InputError(f"{own}: a command without it wanted, as the counting run takes place in another folder")
        if self.folder and not self.folder.is_dir():
            raise InputError(f"{self.folder}: a folder to count in wanted, found none")
        counting_tool(say=say)

    def add_to(
        self, timing: Experiment, command: Sequence[str], output: Path, say: Callable[[str], object]
    ) -> Experiment:
        """Run a command again, counted, and add the counts to what was timed, in the run's folder too.

        Args:
            timing: What was measured of the command.
            command: The launcher and the program.
            output: The folder of the run.
            say: Takes a sentence for the user.

        Raises:
            InputError: The counting run failed, or cannot be joined; its output is then in the run's folder.
        """
        seconds = float(timing.inclusive("wall_time")[list(timing.roots)].max(initial=0.0))
        with self._place(output) as folder:
            say(f"counting run in {folder}; it may take {_TIMES} times the {seconds:.3g} s of the timing run")
            counting = self._count(command, output, folder, say)
        joined = with_ref_cycles(join_counts(timing, counting))
        save(joined, RunFolder(output).experiment)
        return joined

    @contextmanager
    def _place(self, output: Path) -> Iterator[Path]:
        if self.folder:
            yield self.folder
        else:
            here = Path.cwd()
            with scratch_copy(here, output.absolute()) as copy:
                yield copy

    def _count(self, command: Sequence[str], output: Path, folder: Path, say: Callable[[str], object]) -> Experiment:
        mpi = find_mpi(command)
        run = RunFolder(output.absolute() / _FOLDER)
        log = output.absolute() / _LOG
        run.prepare()
        RunFacts(list(command)).write(run.shards)
        before = measured_environment(probe_library(mpi), run.shards)
        words, environment = counting_command(command, self.geometry, before, launcher=mpi.launcher, say=say)
        status = launch(
            words,
            {**environment, "PWD": os.fspath(folder)},
            launcher=mpi.openmpi_launcher,
            folder=folder,
            log=log,
        )
        experiment = gather(run, command) if status == 0 else None
        shutil.rmtree(run.path, ignore_errors=True)
        if experiment is None:
            what = f"ended with exit status {status}" if status else "recorded nothing"
            raise InputError(f"the counting run {what}: no counts; what it printed is in {log}{_last_line(log)}")
        log.unlink()
        return experiment


def _last_line(log: Path) -> str:
    """Quote what the tool itself had to say, or the last that was printed."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    said = [line.partition("autoanalyzer: ")[2] for line in lines if line.startswith("autoanalyzer: ")]
    line = (said or lines[-1:] or [""])[0].strip()
    return f" ({line})" if line else ""
