"""The caches that a counting run simulates: those of this machine, or as the user says."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..errors import UsageError

__all__ = ["CacheGeometry", "CacheLevel", "parse_geometry", "this_machine"]

_CPU_CACHES: Final = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEVEL: Final = re.compile(r"(L[12])=(\d{1,6})([KMG]?)/(\d{1,4})/(\d{1,4})", re.IGNORECASE)
_WANTED: Final = "SIZE/WAYS/LINE of each cache wanted, such as L1=32K/8/64,L2=1M/8/64"
_MOST_L1_SETS: Final = 4096  # twin: LARGEST_L1_BITS in runtime/rtcount/counts.h


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
        """The cache as the counting tool takes it."""
        return f"{self.size},{self.ways},{self.line}"

    @property
    def sets(self) -> int:
        """How many sets there are; 0 if the lines do not fill a whole number of them."""
        way = self.ways * self.line
        return 0 if not way or self.size % way else self.size // way

    def defect(self) -> str | None:
        """Say why the cache cannot be simulated."""
        if self.line < 32 or self.line & (self.line - 1):
            return f"lines of 32, 64, 128 … bytes wanted, found {self.line}"
        if self.sets < 2 or self.sets & (self.sets - 1):
            return f"2, 4, 8 … sets wanted, found {self.size / max(1, self.ways * self.line):g}"
        return None


@dataclass(frozen=True, slots=True)
class CacheGeometry:
    """The data cache of the first level, and the second-level cache behind it; they have lines of one length."""

    l1: CacheLevel = CacheLevel(32 << 10, 8, 64)
    l2: CacheLevel = CacheLevel(1 << 20, 8, 64)

    def __str__(self) -> str:
        return f"L1={self.l1} L2={self.l2}"

    def defect(self) -> str | None:
        """Say why the caches cannot be simulated."""
        for name, level in (("L1", self.l1), ("L2", self.l2)):
            if found := level.defect():
                return f"{name}: {found}"
        if self.l1.sets > _MOST_L1_SETS:
            return f"L1: at most {_MOST_L1_SETS} sets wanted, found {self.l1.sets}"
        if self.l1.line != self.l2.line:
            return f"lines of one length wanted, found {self.l1.line} and {self.l2.line} bytes"
        return None


def parse_geometry(text: str, default: CacheGeometry | None = None) -> CacheGeometry:
    """Read ``L1=32K/8/64,L2=1M/8/64``, or one of the two.

    Args:
        text: What the user wrote.
        default: Where a cache that is not named comes from; None: this machine.

    Raises:
        UsageError: It cannot be read, or no such cache can be simulated.
    """
    levels: dict[str, CacheLevel] = {}
    for word in re.split(r"[,\s]+", text.strip()):
        match = _LEVEL.fullmatch(word)
        if not match or match[1].lower() in levels:
            raise UsageError(f"{_WANTED}; found {word or 'nothing'!r}")
        size = int(match[2]) * _UNITS[match[3].upper()]
        levels[match[1].lower()] = CacheLevel(size, int(match[4]), int(match[5]))
    geometry = replace(default or this_machine(), **levels)
    if defect := geometry.defect():
        raise UsageError(f"caches {geometry}: {defect}")
    return geometry


def this_machine(folder: Path = _CPU_CACHES) -> CacheGeometry:
    """The caches of this machine's first processor; usual ones where it does not tell, or cannot be simulated."""
    usual = CacheGeometry()
    found: dict[str, CacheLevel] = {}
    for index in sorted(folder.glob("index*")):
        level, kind = _word(index, "level"), _word(index, "type")
        if (level, kind) in {("1", "Data"), ("1", "Unified"), ("2", "Data"), ("2", "Unified")}:
            found[f"l{level}"] = _read_level(index)
    geometry = replace(usual, **found)
    return usual if geometry.defect() else geometry


def _read_level(index: Path) -> CacheLevel:
    size = re.fullmatch(r"(\d+)([KMG]?)", _word(index, "size"))
    ways, line = _word(index, "ways_of_associativity"), _word(index, "coherency_line_size")
    if not size or not ways.isdigit() or not line.isdigit():
        return CacheLevel(0, 0, 0)
    return CacheLevel(int(size[1]) * _UNITS[size[2]], int(ways), int(line))


def _word(index: Path, name: str) -> str:
    try:
        return (index / name).read_text().strip()
    except OSError:
        return ""
