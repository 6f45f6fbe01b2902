"""The caches that a counting run simulates: this machine's, or those that the user specifies."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...errors import UsageError
from ..simulated_events import L3_MISSES, TLB_MISSES

__all__ = ["CacheGeometry", "CacheLevel", "further_levels", "parse_geometry", "this_machine"]

_CPU_CACHES: Final = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEVEL: Final = re.compile(r"(L[123]|TLB)=(\d{1,6})([KMG]?)/(\d{1,4})/(\d{1,4})([KMG]?)", re.IGNORECASE)
_EXPECTED: Final = "expected SIZE/WAYS/LINE of each cache, such as L1=32K/8/64,L2=1M/8/64"
_MOST_L1_SETS: Final = 4096  # 2 to the power of LARGEST_L1_BITS in runtime/rtcount/counts.h
_LARGEST: Final = 1 << 30  # bytes; the tool needs 8 bytes of its own per line, in each thread
_LARGEST_TLB: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class CacheLevel:
    """A set-associative cache.

    Attributes:
        size: Size in bytes.
        ways: Lines per set.
        line: Bytes per line.
    """

    size: int
    ways: int
    line: int

    def __str__(self) -> str:
        """Return a text such as ``32K/8/64``, as write_cache in runtime/probe/counter_simulated.c does."""
        return f"{_in_units(self.size)}/{self.ways}/{_in_units(self.line)}"

    @property
    def option(self) -> str:
        """The value of the counting tool's option for this cache."""
        return f"{self.size},{self.ways},{self.line}"

    @property
    def sets(self) -> int:
        """The number of sets; 0 if the lines do not fill a whole number of sets."""
        way = self.ways * self.line
        return 0 if not way or self.size % way else self.size // way

    def defect(self, most_sets: int = _LARGEST, *, largest: int = _LARGEST) -> str | None:
        """Return why the cache cannot be simulated; None if it can."""
        if self.line < 32 or self.line & (self.line - 1):
            return f"expected cache lines of 32, 64, 128 … bytes, found {self.line} bytes"
        if self.sets < 2 or self.sets & (self.sets - 1):
            return f"expected 2, 4, 8 … sets, found {self.size / max(1, self.ways * self.line):g} sets"
        if self.size > largest:
            return f"expected at most {largest >> 30}G, found {str(self).partition('/')[0]}"
        if self.sets > most_sets:
            return f"expected at most {most_sets} sets, found {self.sets}"
        return None


_UNKNOWN: Final = CacheLevel(0, 0, 0)


@dataclass(frozen=True, slots=True)
class CacheGeometry:
    """The first-level data cache and the caches behind it, all with lines of the same size, and the TLB.

    Attributes:
        l1: The first level.
        l2: The second level.
        l3: The third level; None if the user has not specified it.
        tlb: The last-level TLB as a cache whose lines are pages; None if the user has not specified it.
    """

    l1: CacheLevel = CacheLevel(32 << 10, 8, 64)
    l2: CacheLevel = CacheLevel(1 << 20, 8, 64)
    l3: CacheLevel | None = None
    tlb: CacheLevel | None = None

    def __str__(self) -> str:
        further = {"L3": self.l3, "TLB": self.tlb}
        return f"L1={self.l1} L2={self.l2}{''.join(f' {name}={each}' for name, each in further.items() if each)}"

    def defect(self) -> str | None:
        """Return why the caches cannot be simulated; None if they can."""
        caches = (("L1", self.l1, _MOST_L1_SETS), ("L2", self.l2, _LARGEST), ("L3", self.l3, _LARGEST))
        for name, level, most_sets in caches:
            if level and (found := level.defect(most_sets)):
                return f"{name}: {found}"
            if level and level.line != self.l1.line:
                return f"expected cache lines of the same size, found {self.l1.line} and {level.line} bytes"
        if self.tlb and (found := self.tlb.defect(largest=_LARGEST_TLB)):
            return f"TLB: {found.replace('lines', 'pages')}"
        if self.tlb and self.tlb.line < self.l1.line:
            return f"TLB: expected pages of {self.l1.line} bytes or more, found {self.tlb.line} bytes"
        return None


def parse_geometry(text: str) -> CacheGeometry:
    """Parse ``L1=32K/8/64,L2=1M/8/64,L3=32M/16/64,TLB=6M/12/4K``, or some of them; the rest are this machine's.

    Raises:
        UsageError: The text cannot be parsed, or a cache cannot be simulated.
    """
    levels: dict[str, CacheLevel] = {}
    for word in re.split(r"[,\s]+", text.strip()):
        match = _LEVEL.fullmatch(word)
        if not match or match[1].lower() in levels:
            raise UsageError(f"{_EXPECTED}; found {word or 'nothing'!r}")
        size = int(match[2]) * _UNITS[match[3].upper()]
        line = int(match[5]) * _UNITS[match[6].upper()]
        levels[match[1].lower()] = CacheLevel(size, int(match[4]), line)
    geometry = replace(this_machine(), **levels)
    if defect := geometry.defect():
        raise UsageError(f"caches {geometry}: {defect}")
    return geometry


def this_machine(folder: Path = _CPU_CACHES, *, say: Callable[[str], object] | None = None) -> CacheGeometry:
    """Return L1 and L2 of this machine's first core; typical caches replace unknown or unsuitable ones.

    Args:
        folder: The system's folder with descriptions of the caches.
        say: Callback that shows the user a message about each cache that is replaced.
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
            say(f"this machine's {name} cache {why}, so {taken} is simulated; choose another cache with --cache")
    return geometry


def further_levels(events: Collection[str], geometry: CacheGeometry, folder: Path = _CPU_CACHES) -> list[str]:
    """Return the counting tool's options for L3 and the TLB, if their misses are among the requested events.

    Args:
        events: The requested events.
        geometry: The caches to simulate; if an L3 is missing, this machine's is used.
        folder: The system's folder with descriptions of the caches.

    Raises:
        UsageError: L3 or the TLB is unknown or cannot be simulated, or is specified although its misses are not
            counted.
    """
    instead = ""
    if L3_MISSES in events and not geometry.l3:
        geometry = replace(geometry, l3=_third_level(folder))
        instead = "; name an L3 that can be simulated, such as --cache L3=32M/16/64"
    options = []
    for event, name, level, such in (
        (L3_MISSES, "L3", geometry.l3, "L3=32M/16/64"),
        (TLB_MISSES, "TLB", geometry.tlb, "TLB=6M/12/4K"),
    ):
        if event in events and not level:
            raise UsageError(f"{event}: this machine's {name} is unknown; describe it, for example with --cache {such}")
        if level and event not in events:
            raise UsageError(f"--cache {name} needs --counters simulated:{event}")
        if level:
            options.append(f"--{name.lower()}={level.option}")
    if defect := geometry.defect():
        raise UsageError(f"caches {geometry}: {defect}{instead}")
    return options


def _third_level(folder: Path) -> CacheLevel | None:
    for index in folder.glob("index*"):
        if _word(index, "level") == "3" and (found := _read_level(index)) != _UNKNOWN:
            return found
    return None


def _in_units(size: int) -> str:
    unit = 0
    while size % 1024 == 0 and unit < len(_UNITS) - 1:
        size, unit = size // 1024, unit + 1
    return f"{size}{list(_UNITS)[unit]}"


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
