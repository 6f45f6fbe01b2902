"""Build the programs of a case, with or without probes, and run them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

from .program import Printed, Program

BIN = Path(sys.executable).parent
COMPILERS = {"c": ("aa-mpicc", "mpicc"), "cxx": ("aa-mpicxx", "mpicxx")}
FORTRAN = ("aa-mpifort", "mpifort")
FLAGS = ("-O2", "-I.", "-DOMPI_SKIP_MPICXX")  # the old C++ interface takes long to parse
_SUFFIXES = (".c", ".cpp", ".f", ".f90")
_TIMEOUT = 600


class JobError(Exception):
    """A program could not be built or run."""


@dataclass(frozen=True)
class Job:
    """A program in a folder of its own."""

    folder: Path
    program: Program
    language: str

    @property
    def launch(self) -> list[str]:
        """The command that starts the program."""
        return ["mpirun", "-n", str(self.program.ranks), "./app"]

    def write(self, printed: Printed) -> None:
        """Write the sources."""
        for name, text in printed.texts.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def build(self, printed: Printed, *, probes: bool = True) -> None:
        """Compile the library into an archive, and all other sources into ``app``; modules before their users."""
        wrapper, compiler = COMPILERS.get(self.language, FORTRAN)
        command = [wrapper if probes else compiler, *FLAGS, *(["-fopenmp"] if self.program.threads > 1 else [])]
        sources = sorted((each for each in printed.texts if each.endswith(_SUFFIXES)), key=_rank)
        for source in sources:
            self.do([*command, "-c", source, "-o", f"{Path(source).stem}.o"])
        self.do(["ar", "rcs", "libdeep.a", "library.o"])
        self.do([*command, "main.o", "module.o", "-L.", "-ldeep", "-o", "app"])

    def run(self) -> str:
        """Run the program without the tool; return its output."""
        return self.do(self.launch)

    def record(self, *, counters: str, cache: str = "", path: str = "always") -> str:
        """Run the program under the tool, without an analysis; return its output.

        Args:
            counters: The tool's option ``--counters``.
            cache: The tool's option ``--cache``; empty: the machine's caches.
            path: The tool's option ``--path``: whether the critical path is recorded.
        """
        counting = ["--counters", counters, *(["--cache", cache] if cache else []), "--path", path]
        return self.do(["autoanalyzer", "run", "--no-analyze", *counting, "-o", "out", "--", *self.launch])

    def do(self, words: Sequence[str], timeout: int = _TIMEOUT) -> str:
        """Run a command in the folder, and return its output.

        Raises:
            JobError: The command failed, or took longer than ``timeout`` seconds.
        """
        with subprocess.Popen(
            words,
            cwd=self.folder,
            env=environment(self.program.threads),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as started:
            try:
                printed, complained = started.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, SIGKILL)  # the launcher and the ranks, too
                raise JobError(f"{self.folder}: {' '.join(words)}: not done in {timeout} s") from None
        if started.returncode:
            raise JobError(f"{self.folder}: {' '.join(words)}: status {started.returncode}\n{complained[-2000:]}")
        return printed


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Run processes that keep cores busy during the block."""
    others = [subprocess.Popen(["sh", "-c", "while kill -0 $PPID; do :; done"]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


def environment(threads: int) -> Mapping[str, str]:
    """Return the environment variables for a program; Open MPI may run as root, with more ranks than cores."""
    own = {"PATH": f"{BIN}:{os.environ['PATH']}", "OMP_NUM_THREADS": str(threads), "OMPI_MCA_pml": "ob1"}
    own["OMP_WAIT_POLICY"] = "passive"  # threads that wait leave the core to others
    for launcher in ("OMPI", "PRTE"):
        own |= {f"{launcher}_ALLOW_RUN_AS_ROOT": "1", f"{launcher}_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    own["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    own["OMPI_MCA_mpi_yield_when_idle"] = "1"
    own["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
    return {**os.environ, **own}


def _rank(source: str) -> int:
    return ("library", "module", "main").index(Path(source).stem)
