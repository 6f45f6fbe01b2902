"""Find the functions, files and lines of addresses in programs and libraries, with binutils."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..answer import answer

__all__ = [
    "FORTRAN_FILES",
    "SYSTEM",
    "VARIANT",
    "AddressPlace",
    "inlined_at",
    "library_of",
    "sections_of",
    "symbols_at",
]

SYSTEM: Final = ("/usr/", "/lib")  # prefixes of the paths of system headers and system libraries
# Prefixes and suffixes that glibc adds to function names internally: ``__ieee754_exp_fma`` is ``exp``.
VARIANT: Final = re.compile(r"_*(?:GI_+)?(?:ieee754_)?(.+?)(?:_(?:fma4?|avx\w*|sse\w*|evex\w*|erms|unaligned\w*))?")

_FORTRAN_MODULE: Final = re.compile(r"__(\w+)_MOD_(\w+)")
FORTRAN_FILES: Final = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")
_ARGUMENTS: Final = re.compile(r"<[^<>]*>")
_LIBRARY: Final = re.compile(r"(.+?)\.so(?:\..*)?")
_SYMBOL: Final = re.compile(r"([0-9a-f]+) ([0-9a-f]+) [TtWwi] (\S+)")
_SECTION: Final = re.compile(r"\] (\.\S+)")
_PATIENCE: Final = 120  # seconds to read the debug information of one file


class AddressPlace(NamedTuple):
    """A function and its source line; an unknown file is empty, an unknown line is 0."""

    function: str
    file: str
    line: int


def inlined_at(file: str, addresses: Sequence[str]) -> list[list[AddressPlace]]:
    """Return the functions at each address, inlined functions first; empty if nothing is known.

    Binutils' ``addr2line`` is called once. Without debug information, it finds only functions, and in a stripped
    program, nothing.

    Args:
        file: A program or a library.
        addresses: Hexadecimal addresses in the file.
    """
    lines = _ask(["addr2line", "-a", "-f", "-i", "-e", file], addresses).splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("0x")]
    chains = [lines[start + 1 : end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=False)]
    if len(chains) != len(addresses) or any(len(chain) % 2 for chain in chains):
        return [[] for _ in addresses]
    names = iter(_demangled([name for chain in chains for name in chain[::2]]))
    found = ([_place(next(names), source) for source in chain[1::2]] for chain in chains)
    return [[place for place in chain if place] for chain in found]


def symbols_at(file: str, addresses: Sequence[str]) -> list[str]:
    """Return the function that contains each address, according to the symbols of a library without debug information.

    The name is empty if no symbol covers the address. ``addr2line`` would return the nearest symbol before it.
    """
    symbols: list[tuple[int, int, str]] = []
    for table in ([], ["-D"]):
        said = _ask(["nm", "-S", "--defined-only", *table, file], ())
        symbols = symbols or sorted(
            (int(start, 16), int(size, 16), name) for start, size, name in _SYMBOL.findall(said)
        )
    starts = [start for start, *_ in symbols]
    found = []
    for address in (int(each, 16) for each in addresses):
        start, size, name = symbols[bisect_right(starts, address) - 1] if starts else (0, 0, "")
        found.append(name.partition("@")[0] if start <= address < start + size else "")
    return [_plain(name, "") if name else "" for name in _demangled(found)]


def sections_of(file: str) -> frozenset[str]:
    """Return the names of a program's sections; empty if they cannot be read."""
    return frozenset(_SECTION.findall(_ask(["readelf", "-S", "-W", file], ())))


def library_of(file: str) -> str:
    """Return the name of a shared library without ``.so`` and its version; empty for a program."""
    found = _LIBRARY.fullmatch(Path(file).name)
    return found[1] if found else ""


def _demangled(names: Sequence[str]) -> Sequence[str]:
    found = _ask(["c++filt", "--no-params"], names).splitlines()
    return found if len(found) == len(names) else names


def _ask(command: Sequence[str], questions: Iterable[str]) -> str:
    """Return a tool's output for its input lines; empty if it fails."""
    # keeps the tool from fetching debug information over the network
    environment = {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}
    lines = "".join(f"{each}\n" for each in questions)
    return answer(command, environment, question=lines, patience=_PATIENCE) or ""


def _place(function: str, source: str) -> AddressPlace | None:
    """Parse two lines: ``solve`` and ``/home/me/app/solve.c:88 (discriminator 3)``; ``??`` and 0 mean unknown."""
    if function == "??":
        return None
    file, _, line = source.partition(" (")[0].rpartition(":")
    if not line.isdigit() or file == "??" or int(line) == 0:
        return AddressPlace(_plain(function, ""), "", 0)
    return AddressPlace(_plain(function, file), _from_here(file), int(line))


def _plain(function: str, file: str) -> str:
    """Return a function's name as in its source, without the compiler's suffixes and template arguments."""
    if module := _FORTRAN_MODULE.fullmatch(function):
        return f"{module[1]}::{module[2]}"
    # Clang names the functions into which it moves parts of a function ``.omp_outlined.``.
    function = re.sub(r"\s*\[clone .*", "", function).lstrip(".")
    if "{" not in function:  # a lambda's parameters may contain ``...``
        function = function.partition(".")[0]
    if file.lower().endswith(FORTRAN_FILES):
        return function.rstrip("_")
    while "operator" not in function and (shorter := _ARGUMENTS.sub("", function)) != function:
        function = shorter
    return function


def _from_here(file: str) -> str:
    path, here = Path(os.path.normpath(file)), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
