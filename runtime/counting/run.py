"""Run a program a second time, under the counting tool, in a copy of its folder that it may overwrite."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from ...errors import InputError
from ...experiment import Experiment, save
from ..build import probe_library
from ..command import find_program
from ..facts import RunFacts
from ..failure_reason import failure_reason
from ..folder import RunFolder
from ..gather.gather import gather
from ..launch import SHORT_PATHS_VARIABLE, launch, measured_environment
from ..mpi.detection import find_mpi
from ..python_functions import python_environment
from .cache_geometry import CacheGeometry
from .command import counting_command, program_places
from .fused import first_fused
from .join_counts import join_counts, with_ref_cycles
from .short_paths import write_short_paths
from .working_copy import working_copy

__all__ = ["CountingRun", "how_long", "prepared_counting"]

_FOLDER: Final = "counting"
_SHORT_PATHS: Final = "short-paths"
_OWN_FOLDER: Final = frozenset({"wdir", "wd", "workdir", "chdir", "D"})  # launcher options that set a working directory
_WORTH_SAYING: Final = 100 << 20  # bytes; larger copies are announced, because they take time
_UNITS: Final = (("h", 3600), ("min", 60))
_TIMES: Final = (5, 20)  # how many times as long counting usually takes: minimum and maximum
# The usual factor for programs with much fused multiply-add, measured with TeaLeaf (benchmarks/counting/README.md).
_FUSED_TIMES: Final = 23
_UNFUSED_TIMES: Final = 9
_TO_START: Final = 3  # seconds that Valgrind needs to translate the libraries of an MPI program

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class CountingRun:
    """A command to run under the counting tool, in a folder in the state before the timing run.

    Attributes:
        command: The launcher and the program.
        output: The run's folder.
        folder: The folder in which the program runs.
        geometry: The caches to simulate.
        input: The program's standard input.
        counters: ``simulated``, or ``simulated:EVENT,…``.
        python_functions: Patterns of the Python functions to record as regions.
        tracing: Variables that make processes record time lines, on this run's clock.
        times: How many times as long counting usually takes: minimum and maximum.
    """

    command: Sequence[str]
    output: Path
    folder: Path
    geometry: CacheGeometry
    input: BinaryIO
    counters: str = "simulated"
    python_functions: Sequence[str] = ()
    tracing: Mapping[str, str] = field(default_factory=dict)
    times: tuple[int, int] = _TIMES

    def add_to(self, timings: Mapping[RunFolder, Experiment], say: Say) -> list[Experiment]:
        """Run the command again under the counting tool, and add the counts to the timed experiments and their files.

        Args:
            timings: Experiments from one or several timing runs of the command, by their folders.
            say: Callback that shows the user a message.

        Raises:
            InputError: The counting run failed (its output is in the run's folder), or its counts cannot be joined. The
                timed experiments stay unchanged.
        """
        first = next(iter(timings.values()))
        say(f"counting run in {self.folder}; {how_long(_seconds(first), self.times)}")
        try:
            counts = self._count(first.notes.program_status or 0, timings.values())
            joined = [with_ref_cycles(join_counts(timing, counts)) for timing in timings.values()]
            for folder, experiment in zip(timings, joined, strict=True):
                save(experiment, folder.experiment)
        except OSError as error:
            place = error.filename or self.output
            raise InputError(
                f"the counting run cannot use {place}: {error.strerror or error}, so there are no counts"
            ) from None
        return joined

    def _count(self, expected: int, timings: Iterable[Experiment]) -> Experiment:
        """Run the command and check its exit status; fold the call paths that all timed runs folded."""
        mpi = find_mpi(self.command)
        run = RunFolder(self.output / _FOLDER)
        log = RunFolder(self.output).counting_log
        run.prepare()
        try:
            facts = RunFacts(list(self.command))
            facts.write(run.shards)
            environment = {
                **measured_environment(probe_library(mpi), run.shards, usage="", counters="none"),
                **python_environment(self.python_functions),
                **self.tracing,
                SHORT_PATHS_VARIABLE: os.fspath(write_short_paths(run.path / _SHORT_PATHS, timings)),
                "PWD": os.fspath(self.folder),
            }
            words, environment = counting_command(
                self.command, self.geometry, environment, counters=self.counters, launcher=mpi.launcher
            )
            status = launch(
                words,
                environment,
                launcher=mpi.openmpi_launcher,
                folder=self.folder,
                log=log,
                given=self.input,
            )
            experiment = gather(run, facts) if status == expected else None
            if experiment is not None and run.trace.exists():
                run.trace.replace(RunFolder(self.output).counting_trace)
        finally:
            shutil.rmtree(run.path, ignore_errors=True)
        if experiment is None or experiment.notes.unfinished:
            defect = _defect(status, expected, experiment)
            reason = failure_reason(log.read_text(errors="replace"))
            raise InputError(
                f"the counting run {defect}, so there are no counts; see {log}{f' ({reason})' if reason else ''}"
            )
        log.unlink()
        return experiment


@contextmanager
def prepared_counting(
    command: Sequence[str],
    output: Path,
    geometry: CacheGeometry,
    chosen: Path | None,
    say: Say,
    *,
    counters: str = "simulated",
    scratch: Path | None = None,
    python_functions: Sequence[str] = (),
    tracing: Mapping[str, str] | None = None,
) -> Iterator[CountingRun]:
    """Check that a command can run under the counting tool, and preserve its folder and input before the timing run.

    Args:
        command: The launcher and the program.
        output: The run's folder.
        geometry: The caches to simulate.
        chosen: The folder in which the program runs; None for a temporary copy of the working directory.
        say: Callback that shows the user a message.
        counters: ``simulated``, or ``simulated:EVENT,…``.
        scratch: The folder in which the copy is made. None for the run's folder, or if nodes may not share the run's
            folder, for the folder that contains the working directory.
        python_functions: Patterns of the Python functions to record as regions.
        tracing: Variables that make processes record time lines; None if they do not.

    Raises:
        BuildError: Valgrind is missing, or the tool cannot be built.
        InputError: The command contains no program, or runs it in another folder; the chosen folder does not exist; or
            the working directory cannot be copied.
        UsageError: An event cannot be simulated.
    """
    launcher = find_mpi(command).launcher
    place = find_program(command, launcher)
    if own := _own_folder(command[:place]):
        raise InputError(f"remove {own} from the command, because the counting run works in another folder")
    if chosen:
        _check_folder(chosen, "" if place is None else command[place])
    counting_command(command, geometry, counters=counters, launcher=launcher, say=say)
    fused = first_fused(command[at] for at in program_places(command, launcher))
    if fused:
        say(_warning(fused))
    counting = partial(
        CountingRun,
        command,
        geometry=geometry,
        counters=counters,
        python_functions=python_functions,
        tracing=tracing or {},
        times=(_TIMES[0], _FUSED_TIMES) if fused else _TIMES,
    )
    output = output.absolute()
    with _input_again() as given:
        if chosen:
            yield counting(output=output, folder=chosen.absolute(), input=given)
        else:

            def told(size: int) -> None:
                if size > _WORTH_SAYING:
                    say(f"copying {size / 2**20:.0f} MiB for the counting run; to count without a copy, add --no-copy")

            with working_copy(Path.cwd(), output, command, scratch=scratch or _shared(output), told=told) as folder:
                yield counting(output=output, folder=folder, input=given)


def _shared(output: Path) -> Path:
    """Return a folder for the copy that all nodes share if they share the working directory."""
    here = Path.cwd()
    there = next(each for each in (output, *output.parents) if each.exists())
    temporary = Path(tempfile.gettempdir())
    is_own = there.stat().st_dev != here.stat().st_dev or (
        output.is_relative_to(temporary) and not here.is_relative_to(temporary)
    )
    return here if is_own and os.access(here, os.W_OK) else output


def _warning(program: str) -> str:
    return (
        f"{program} was built to use fused multiply-add; if the program uses these instructions often, counting takes "
        f"about {_FUSED_TIMES} times as long as the program itself, but only about {_UNFUSED_TIMES} times as long if "
        "you add -mno-fma to the compiler flags"
    )


def how_long(seconds: float, times: tuple[int, int]) -> str:
    """Return a text that estimates how long counting takes for a program that ran this many seconds."""
    expected = [_TO_START + each * seconds for each in times]
    unit, length = next((each for each in _UNITS if expected[0] >= 2 * each[1]), ("s", 1))
    least, most = (f"{each / length:.0f}" for each in expected)
    took = f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"
    return (
        f"it usually takes {least if least == most else f'{least} to {most}'} {unit}: "
        f"{_TO_START} s to start, plus {times[0]} to {times[1]} times the program's {took} s"
    )


def _seconds(timing: Experiment) -> float:
    """Return how long the program ran, without MPI's initialisation and finalisation."""
    program = [place for place, path in enumerate(timing.call_paths) if path.region.kind != "mpi" or path.region.file]
    return float(timing.exclusive("wall_time")[program].sum(axis=0).max(initial=0.0))


def _own_folder(words: Sequence[str]) -> str | None:
    """Return the option before the program that sets a working directory; None if there is none."""
    names = (word.partition("=")[0] for word in words)
    return next((name for name in names if name.startswith("-") and name.lstrip("-") in _OWN_FOLDER), None)


def _check_folder(folder: Path, program: str) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: --counting-dir needs an existing folder")
    if "/" in program and not (folder / program).exists():
        raise InputError(f"{folder}: --counting-dir needs a folder that contains {program}")


def _input_again() -> BinaryIO:
    """Open standard input again at its current position, if it is a file, because the timed program reads the original.

    The file may have no name, like the temporary file of a here-document in a shell.
    """
    try:
        if stat.S_ISREG(os.fstat(0).st_mode):
            again = Path("/proc/self/fd/0").open("rb", buffering=0)  # noqa: SIM115 - the block that follows closes it
            again.seek(os.lseek(0, 0, os.SEEK_CUR))
            return again
    except OSError:
        pass
    return Path(os.devnull).open("rb", buffering=0)


def _defect(status: int, expected: int, experiment: Experiment | None) -> str:
    if status != expected:
        return f"ended with exit status {status}{f' instead of {expected}' if expected else ''}"
    return "recorded nothing" if experiment is None else "ended before MPI_Finalize"
