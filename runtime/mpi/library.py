"""Find the MPI library that an executable is linked to."""

from __future__ import annotations

import mmap
import re
import struct
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

# The header of a 64-bit ELF file: magic number; offset, size and number of program headers.
_HEADER: Final = struct.Struct("=5s27xQ14xHH")
_MAGIC: Final = b"\x7fELF\x02"
_PROGRAM_HEADER: Final = struct.Struct("=I4xQ16xQ")  # type, and the offset and size in the file
_INTERPRETER: Final = 3  # PT_INTERP
_LONGEST_PATH: Final = 4096


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
    loader, path = _loader(executable), executable.absolute()
    listing = answer([loader, "--list", path], variables) if loader else None
    if listing is None:  # glibc's loader lists nothing if a library is missing
        listing = answer(["ldd", path], variables) or ""
    match = _NEEDED.search(listing)
    return MpiLibrary(Path(match[2]).resolve(), match[1]) if match else None


def _loader(executable: Path) -> str:
    """Return the loader that a 64-bit program names; empty if it names none.

    The loader lists libraries in a sixth of the time that ``ldd`` takes, a script that runs it twice.
    """
    with executable.open("rb") as file:
        try:
            magic, start, size, number = _HEADER.unpack(file.read(_HEADER.size))
            for place in range(number) if magic == _MAGIC else ():
                file.seek(start + size * place)
                kind, at, length = _PROGRAM_HEADER.unpack(file.read(_PROGRAM_HEADER.size))
                if kind == _INTERPRETER:
                    file.seek(at)
                    return file.read(min(length, _LONGEST_PATH)).partition(b"\0")[0].decode(errors="replace")
        except (struct.error, OverflowError, OSError):
            return ""
    return ""
