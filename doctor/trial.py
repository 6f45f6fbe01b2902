"""Build, run and measure a test program with the same commands as a user."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import AutoanalyzerError
from ..runtime.folder import RunFolder
from .bench import Bench, Done, own_program
from .programs import CALLS

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["RANKS", "Trial", "compiler_version", "gather_failure", "lacking_compiler"]

RANKS: Final = 2

_GATHER_FAILED: Final = re.compile(
    r"(?:gathering by MPI failed|the command ended with exit status \d+) \((.*)\)(?:: only the data|; if the program)"
)
_ALONE: Final = "each alone in its MPI_COMM_WORLD"
_VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)?")
_STAND_INS: Final = {
    "aa-mpicc": "AUTOANALYZER_CC",
    "aa-mpicxx": "AUTOANALYZER_CXX",
    "aa-mpifort": "AUTOANALYZER_FC",
}
_PACKAGES: Final = {"gcc": "gcc", "g++": "g++", "gfortran": "gfortran", "clang": "clang", "cc": "gcc", "c++": "g++"}
_PATIENCE: Final = 30.0  # seconds for a compiler to print its version
_BUILD_PATIENCE: Final = 600.0  # seconds; the load average may be a minute old, and files may be on a network disk


@dataclass(frozen=True, slots=True)
class Trial:
    """A test program, and the folder in which it is built and run.

    Attributes:
        bench: The bench that runs commands.
        folder: The program's folder.
    """

    bench: Bench
    folder: Path

    @property
    def program(self) -> Path:
        """The path of the program, which exists after the build."""
        return self.folder / "app"

    def write(self, sources: Mapping[str, str]) -> None:
        """Write source files, given as name → text."""
        for name, text in sources.items():
            (self.folder / name).write_text(text)

    def compile(self, stand_in: str, compiler: Sequence[str], *words: str) -> str:
        """Compile and link with probes; return why that failed, or an empty string.

        Args:
            stand_in: Name of the compiler wrapper, such as ``aa-mpicc``.
            compiler: Command line of the compiler that the wrapper calls.
            words: Sources and options.
        """
        command = [own_program(stand_in), "-g", "-O1", *words]
        done = self.bench.run(
            command, self.folder, {_STAND_INS[stand_in]: shlex.join(compiler)}, patience=_BUILD_PATIENCE
        )
        return "" if done.status == 0 else f"cannot build: {done.reason}"

    def run(
        self, *launcher: str, options: Sequence[str] = ("--counters", "none"), output: str = "out", **more: str
    ) -> tuple[Experiment | None, Done]:
        """Run the program with ``autoanalyzer run``; return its experiment, or None, and the result of the command.

        Args:
            launcher: The launcher's command line.
            options: Options of ``autoanalyzer run``.
            output: Name of the run's folder.
            more: Additional environment variables.
        """
        from ..experiment import load  # noqa: PLC0415 - slow to import

        words = [own_program("autoanalyzer"), "run", "--no-analyze", *options, "-o", output, "--"]
        done = self.bench.run([*words, *launcher, self.program], self.folder, more)
        try:
            return load(RunFolder(self.folder / output).experiment), done
        except AutoanalyzerError:
            return None, done

    def measure(self, regions: Sequence[str], *launcher: str) -> tuple[Experiment | None, Done, str]:
        """Run the program, and check that each rank entered each region ten times.

        Args:
            regions: Names of the functions to check.
            launcher: The launcher's command line.

        Returns:
            The experiment, or None; the result of the command; and what failed or is missing, or an empty string.
        """
        experiment, done = self.run(*launcher)
        defect = _failure(done) if experiment is None else _defect(experiment) or _failure(done)
        if experiment is not None and not defect:
            defect = next(filter(None, (_lack(experiment, region) for region in regions)), "")
        return experiment, done, defect


def gather_failure(text: str) -> str:
    """Return why gathering over MPI failed, according to its output, or an empty string if it succeeded."""
    found = _GATHER_FAILED.search(text)
    return found[1] if found else ""


def _failure(done: Done) -> str:
    """Return why a run failed, or an empty string if it succeeded."""
    return gather_failure(done.complained) or done.reason if done.status != 0 else ""


def _defect(experiment: Experiment) -> str:
    """Return what is wrong with an experiment's ranks, or an empty string if there are two ranks of one MPI program."""
    if any(_ALONE in remark for remark in experiment.notes.remarks):
        return f"{RANKS} processes, each rank 0 of 1: the launcher belongs to another MPI library"
    ranks = sorted({location.process for location in experiment.locations})
    return "" if ranks == [*range(RANKS)] else f"expected data from {RANKS} ranks, found data from {len(ranks)}"


def _lack(experiment: Experiment, region: str) -> str:
    """Return what is missing if not every rank entered a function ten times, or an empty string if nothing is."""
    names = [path.region.name for path in experiment.call_paths]
    places = [place for place, name in enumerate(names) if name.partition("<")[0] == region]
    if not places:
        return f"the function {region} was not recorded, because it has no probes"
    found = [experiment.exclusive(metric)[places].sum(axis=0) for metric in ("visits", "mpi_calls")]
    if any((each != CALLS).any() for each in found):
        entries, calls = (each.min() for each in found)
        return (
            f"expected {CALLS} entries and {CALLS} MPI calls in {region} on each rank, found {entries:g} entries and "
            f"{calls:g} calls"
        )
    return ""


def lacking_compiler(wrapper: Sequence[str], bench: Bench) -> tuple[str, str] | None:
    """Return which MPI wrapper or compiler is missing on ``PATH``, and advice, or None if nothing is missing."""
    path = bench.environment.get("PATH")
    name = shlex.join(wrapper)
    if not wrapper or not shutil.which(wrapper[0], path=path):
        return f"{name or 'its variable'} is not on PATH", (
            "to build such programs, install this compiler, or load its module"
        )
    shown = bench.run([*wrapper, "-show"], bench.folder, patience=_PATIENCE)
    called = shown.printed.split()[:1]
    if shown.status == 0 and called and not shutil.which(called[0], path=path):
        package = _PACKAGES.get(called[0], called[0])
        return f"{name} calls {called[0]}, which is not on PATH", f"install {package}, or load its module"
    return None


def compiler_version(wrapper: Sequence[str], bench: Bench) -> str:
    """Return the name and version, such as ``gcc 12.2.0``, of the compiler that an MPI wrapper calls."""
    lines = bench.run([*wrapper, "--version"], bench.folder, patience=_PATIENCE).printed.splitlines()
    line = next((line for line in lines if _VERSION.search(line)), "")
    version = _VERSION.search(re.sub(r"\([^)]*\)", "", line))
    words = line.partition("(")[0].split()
    name = "gfortran" if line.startswith("GNU Fortran") else words[0] if words else ""
    name = name.rpartition("-gnu-")[2] or name  # x86_64-linux-gnu-gcc becomes gcc
    return f"{name} {version[0]}" if version else name
