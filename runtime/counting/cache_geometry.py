"""The caches that a counting run simulates: this machine's, or those that the user specifies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...errors import UsageError

__all__ = ["CacheGeometry", "CacheLevel", "parse_geometry", "this_machine"]

_CPU_CACHES: Final = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEVEL: Final = re.compile(r"(L[12])=(\d{1,6})([KMG]?)/(\d{1,4})/(\d{1,4})", re.IGNORECASE)
_EXPECTED: Final = "expected SIZE/WAYS/LINE of each cache, such as L1=32K/8/64,L2=1M/8/64"
_MOST_L1_SETS: Final = 4096  # twin: LARGEST_L1_BITS in runtime/rtcount/counts.h
_LARGEST: Final = 1 << 30  # bytes; the tool needs 8 bytes of its own per line, in each thread


@dataclass(frozen=True, slots=True)
class CacheLevel:
    """A set-associative cache.

    Attributes:
        size: Bytes.
        ways: Lines in a set.
        line: Bytes in a line.
    """

    size: int
    ways: int
    line: int

    def __str__(self) -> str:
        """Write ``32K/8/64``; twin: write_cache in runtime/probe/counter_simulated.c."""
        size, unit = self.size, 0
        while size % 1024 == 0 and unit < len(_UNITS) - 1:
            size, unit = size // 1024, unit + 1
        return f"{size}{list(_UNITS)[unit]}/{self.ways}/{self.line}"

    @property
    def option(self) -> str:
        """The cache as an option value of the counting tool."""
        return f"{self.size},{self.ways},{self.line}"

    @property
    def sets(self) -> int:
        """The number of sets; 0 if the lines do not fill a whole number of them."""
        way = self.ways * self.line
        return 0 if not way or self.size % way else self.size // way

    def defect(self, most_sets: int = _LARGEST) -> str | None:
        """Explain why the cache cannot be simulated; None if it can."""
        if self.line < 32 or self.line & (self.line - 1):
            return f"expected lines of 32, 64, 128 … bytes, found {self.line}"
        if self.sets < 2 or self.sets & (self.sets - 1):
            return f"expected 2, 4, 8 … sets, found {self.size / max(1, self.ways * self.line):g}"
        if self.size > _LARGEST:
            return f"expected at most {_LARGEST >> 30}G, found {str(self).partition('/')[0]}"
        if self.sets > most_sets:
            return f"expected at most {most_sets} sets, found {self.sets}"
        return None


_UNKNOWN: Final = CacheLevel(0, 0, 0)


@dataclass(frozen=True, slots=True)
class CacheGeometry:
    """The first-level data cache and the second-level cache behind it; both have lines of one length."""

    l1: CacheLevel = CacheLevel(32 << 10, 8, 64)
    l2: CacheLevel = CacheLevel(1 << 20, 8, 64)

    def __str__(self) -> str:
        return f"L1={self.l1} L2={self.l2}"

    def defect(self) -> str | None:
        """Explain why the caches cannot be simulated; None if they can."""
        if found := self.l1.defect(_MOST_L1_SETS):
            return f"L1: {found}"
        if found := self.l2.defect():
            return f"L2: {found}"
        if self.l1.line != self.l2.line:
            return f"expected lines of one size, found {self.l1.line} and {self.l2.line} bytes"
        return None


def parse_geometry(text: str) -> CacheGeometry:
    """Parse ``L1=32K/8/64,L2=1M/8/64``, or one of the two; the other is this machine's.

    Raises:
        UsageError: The text cannot be parsed, or no such cache can be simulated.
    """
    levels: dict[str, CacheLevel] = {}
    for word in re.split(r"[,\s]+", text.strip()):
        match = _LEVEL.fullmatch(word)
        if not match or match[1].lower() in levels:
            raise UsageError(f"{_EXPECTED}; found {word or 'nothing'!r}")
        size = int(match[2]) * _UNITS[match[3].upper()]
        levels[match[1].lower()] = CacheLevel(size, int(match[4]), int(match[5]))
    geometry = replace(this_machine(), **levels)
    if defect := geometry.defect():
        raise UsageError(f"caches {geometry}: {defect}")
    return geometry


def this_machine(folder: Path = _CPU_CACHES, *, say: Callable[[str], object] | None = None) -> CacheGeometry:
    """Return the caches of this machine's first processor, with a usual one for each that is unknown or unsuitable.

    Args:
        folder: The system's folder with descriptions of the caches.
        say: Receives a sentence for the user about each cache that is replaced by a usual one.
    """
    found: dict[str, CacheLevel] = {}
    for index in sorted(folder.glob("index*")):
        level, kind = _word(index, "level"), _word(index, "type")
        if (level, kind) in {("1", "Data"), ("1", "Unified"), ("2", "Data"), ("2", "Unified")}:
            found[level] = _read_level(index)
    l1, l2 = found.get("1", _UNKNOWN), found.get("2", _UNKNOWN)
    geometry = CacheGeometry()
    if not l1.defect(_MOST_L1_SETS):
        geometry = CacheGeometry(l1, replace(geometry.l2, line=l1.line))
    elif not l2.defect():
        geometry = CacheGeometry(replace(geometry.l1, line=l2.line), l2)
    if not replace(geometry, l2=l2).defect():
        geometry = replace(geometry, l2=l2)
    for name, told, taken in (("L1", l1, geometry.l1), ("L2", l2, geometry.l2)):
        if say and told != taken:
            why = "is unknown" if told == _UNKNOWN else f"is {told}, which cannot be simulated"
            say(f"this machine's {name} cache {why}: {taken} is simulated; choose another with --cache")
    return geometry


def _read_level(index: Path) -> CacheLevel:
    size = re.fullmatch(r"(\d+)([KMG]?)", _word(index, "size"))
    ways, line = _word(index, "ways_of_associativity"), _word(index, "coherency_line_size")
    if not size or not ways.isdigit() or not line.isdigit():
        return _UNKNOWN
    return CacheLevel(int(size[1]) * _UNITS[size[2]], int(ways), int(line))


def _word(index: Path, name: str) -> str:
    try:
        return (index / name).read_text().strip()
    except OSError:
        return ""
