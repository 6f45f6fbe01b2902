"""Read a list of programs, and build each program in a copy of its folder, with its own commands.

.. code-block:: toml

    [[program]]
    name = "rays"
    folder = "../../samples/rays"    # relative to this list
    build = "make CC=$CC"            # $CC, $CXX and $FC are the compilers
    run = "mpirun -n 4 ./rays"
    verify = "checksum [0-9.]+"      # must appear in its output
    ignore = "[0-9.]+ s$|^Date.*"    # may differ between two runs

``at`` is the subfolder in which the commands run, if it is not the folder itself. Patterns are Python's; ``^`` and
``$`` match at each line.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

__all__ = ["PLAIN", "PROBED", "Copy", "Done", "Program", "copies_of", "read_programs"]

PLAIN = {"CC": "mpicc", "CXX": "mpicxx", "FC": "mpifort"}
PROBED = {name: f"aa-{compiler}" for name, compiler in PLAIN.items()}
_COMPILED = "compiled"  # the folder in a cache that contains objects


@dataclass(frozen=True)
class Program:
    """A program and its commands; the fields are the keys in a list."""

    name: str
    folder: str
    build: str
    run: str = ""
    verify: str = ""
    ignore: str = ""
    at: str = "."


@dataclass(frozen=True)
class Done:
    """A finished command: exit status, standard output, standard error, wall seconds, CPU seconds of all processes."""

    status: int
    output: str
    messages: str
    wall: float
    cpu: float


class Copy:
    """A copy of a program's folder, always at the same path.

    Args:
        program: The program.
        place: The path of the copy.
        compilers: ``PLAIN`` or ``PROBED``.
        cache: The folder for the compilers' caches.
        variables: Additional environment variables.
    """

    def __init__(
        self, program: Program, place: Path, compilers: dict[str, str], cache: Path, variables: dict[str, str]
    ) -> None:
        self.program = program
        self._place = place
        self._cache = cache
        scripts = Path(sys.executable).parent
        path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, **compilers, "PATH": path, "AUTOANALYZER_CACHE": str(cache), **variables}

    def build(self, *, cold: bool = False) -> Done:
        """Copy the folder again, and build there; ``cold`` first removes the objects in the compilers' cache."""
        shutil.rmtree(self._place, ignore_errors=True)
        shutil.copytree(self.program.folder, self._place, symlinks=True)
        if cold:
            shutil.rmtree(self._cache / _COMPILED, ignore_errors=True)
        return self.call(self.program.build)

    def call(self, command: str) -> Done:
        """Run a command in the shell, in the folder in which the program's commands run."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Done(done.returncode, done.stdout, done.stderr, wall, cpu)

    @property
    def folder(self) -> Path:
        """The folder in which the program's commands run."""
        return self._place / self.program.at

    @property
    def objects(self) -> int:
        """The number of object files after a build; links to the same file are counted once."""
        return len({path.resolve() for path in self._place.rglob("*.o")})


def read_programs(path: Path) -> list[Program]:
    """Read a list of programs.

    Raises:
        SystemExit: The file is not a list of programs, or a folder is missing; the message contains the reason.
    """
    known = {field.name for field in fields(Program)}
    try:
        entries: list[dict[str, Any]] = tomllib.loads(path.read_text())["program"]
        programs = [Program(**{**entry, "folder": str(path.parent / entry["folder"])}) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: expected [[program]] tables with {', '.join(sorted(known))}: {error}")
    for program in programs:
        if not Path(program.folder).is_dir():
            sys.exit(f"{path}: {program.name}: no folder {program.folder}")
    return programs


@contextmanager
def copies_of(program: Program, cache: Path, variables: dict[str, str] | None = None) -> Iterator[tuple[Copy, Copy]]:
    """Yield two copies of a program, one to build plain and one to build with probes."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        more = variables or {}
        yield (
            Copy(program, place / "plain", PLAIN, cache, more),
            Copy(program, place / "probed", PROBED, cache, more),
        )
