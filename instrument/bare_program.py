"""Refuse programs without C's start-up code, which sets up the thread-local variables that probes need."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from ..errors import BuildError

__all__ = ["refuse_bare"]

_MAGIC: Final = b"\x7fELF\x02"  # the magic number of a 64-bit ELF file
_PROGRAM_HEADERS: Final = struct.Struct("=32xQ14xHH")  # offset, size and number of program headers in the file
_INTERPRETER, _THREAD_VARIABLES = 3, 7  # types of program headers: PT_INTERP, PT_TLS
_STUB: Final = b"\0aa_connect_counted\0"
# The functions that set up the main thread's thread-local variables in glibc and in musl, and glibc's function that
# calls them.
_STARTS: Final = (b"\0__libc_setup_tls\0", b"\0__init_tls\0", b"\0__libc_start_main\0")


def refuse_bare(program: Path) -> None:
    """Refuse a program whose first probe would crash because nothing sets up thread-local variables.

    Such a program has neither the dynamic loader nor the C library's start-up code. A stripped program cannot be
    checked.

    Raises:
        BuildError: The program's first probe would crash.
    """
    try:
        data = program.read_bytes()
    except OSError:
        return  # the output is a device
    kinds = _kinds(data)
    if _THREAD_VARIABLES not in kinds or _INTERPRETER in kinds:
        return
    if _STUB in data and not any(start in data for start in _STARTS):
        raise BuildError(
            f"{program}: objects have probes, but the program lacks C's start-up code, so the program would crash "
            "at the first probe; compile these objects with -nostdlib or -ffreestanding as well, or compile them "
            "without the wrapper"
        )


def _kinds(data: bytes) -> frozenset[int]:
    """Return the types of the program headers in an executable's content."""
    if not data.startswith(_MAGIC) or len(data) < _PROGRAM_HEADERS.size:
        return frozenset()
    start, size, number = _PROGRAM_HEADERS.unpack_from(data)
    places = [start + size * place for place in range(number)]
    return frozenset(struct.unpack_from("=I", data, place)[0] for place in places if place + 4 <= len(data))
