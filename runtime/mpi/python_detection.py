"""Which MPI library a Python interpreter would load, by mpi4py."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .library import MpiLibrary, linked_mpi

__all__ = ["mpi_of_python"]

_INTERPRETER: Final = re.compile(r"python[\d.]*$")
_TIMEOUT: Final = 30
# The package alone is imported, which chooses among its modules: MPI is not begun.
_QUESTION: Final = "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)"


def mpi_of_python(program: Path, environment: Mapping[str, str]) -> MpiLibrary | None:
    """Ask an interpreter where its mpi4py is, and see what that is linked to; None if it is none, or has none."""
    if not _INTERPRETER.match(program.name):
        return None
    try:
        answer = subprocess.run(
            [program, "-c", _QUESTION],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    module = Path(answer.stdout.strip())
    return linked_mpi(module, environment) if module.is_file() else None
