"""Find this machine's C compilers, for libraries that are built without MPI."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..compiler_records import without_records
from ..errors import BuildError

__all__ = ["c_compilers", "compiled"]


def c_compilers(environment: Mapping[str, str], purpose: str) -> list[tuple[str, ...]]:
    """Return the commands of the available C compilers, as words; the compiler in ``AUTOANALYZER_CC`` is first.

    Args:
        environment: Provides ``AUTOANALYZER_CC`` and ``PATH``.
        purpose: The purpose of the build, for the error.

    Raises:
        BuildError: There is no C compiler, or the quotes in ``AUTOANALYZER_CC`` are not balanced.
    """
    try:
        named = shlex.split(environment.get("AUTOANALYZER_CC", ""))
    except ValueError as error:
        raise BuildError(f"AUTOANALYZER_CC: expected a compiler and its flags, found {error}") from None
    found = []
    for name, *flags in (*([named] if named else []), ["cc"], ["gcc"], ["clang"]):
        if path := shutil.which(name, path=environment.get("PATH")):
            found.append((path, *flags))
    if not found:
        raise BuildError(f"no C compiler on PATH to build {purpose}; install gcc")
    return found


def compiled(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler, optionally in another working folder, and return the finished process."""
    return subprocess.run(
        command,
        cwd=folder,
        env=without_records(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
