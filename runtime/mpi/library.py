"""An MPI library on this machine, and the one that an executable is linked to."""

from __future__ import annotations

import mmap
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..answer import answer

__all__ = ["MpiLibrary", "is_elf", "linked_mpi"]

# Matches the C library, but not libmpi_cxx, libmpi_mpifh and similar libraries, which load it. Some vendors add a
# suffix, because they ship one library per compiler.
_NEEDED: Final = re.compile(
    r"^\s*(lib(?:mpi|mpich)(?:_(?:ibm|cray|gnu|intel|nvidia|amd|aocc)\w*)?\.so[.\d]*) => (/\S+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class MpiLibrary:
    """A shared MPI library.

    Attributes:
        path: The file itself, not a link to it.
        soname: The name under which programs load it.
    """

    path: Path
    soname: str

    @property
    def is_open_mpi(self) -> bool:
        """Whether handles are addresses, as in Open MPI and its descendants, rather than numbers."""
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
            return image.find(b"ompi_mpi_comm_world") >= 0


def is_elf(path: Path) -> bool:
    """Return whether a file is an ELF binary."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def linked_mpi(executable: Path, environment: Mapping[str, str]) -> MpiLibrary | None:
    """Return the MPI library that an executable would load in this environment; None if it is not linked to one.

    The loader only lists the libraries; the program itself is not executed.
    """
    if not is_elf(executable):
        return None
    variables = {name: value for name, value in environment.items() if name != "LD_PRELOAD"} | {"LC_ALL": "C"}
    match = _NEEDED.search(answer(["ldd", executable.absolute()], variables) or "")
    return MpiLibrary(Path(match[2]).resolve(), match[1]) if match else None
