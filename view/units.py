"""Write numbers with units as short text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isinf, isnan
from typing import Final

__all__ = [
    "amount",
    "count",
    "joules",
    "letters",
    "many",
    "percent",
    "ranges",
    "ranks",
    "samples",
    "seconds",
    "spread",
    "titled",
    "volume",
]

_LARGE: Final = 999999.5  # minimum number without a unit that is written like a count
_NOTHING: Final = frozenset({"0", "0 B", "0 ns", "0 J"})


def seconds(value: float) -> str:
    """Return a time in seconds as text with three digits: ``2.41 s``, ``83 ms``, ``12.1 us``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.3g} {unit}" if value < 999.5 * size else f"{value / size:.0f} {unit}"
    return f"{value * 1e9:.0f} ns" if value else "0 s"


def samples(value: float) -> str:
    """Return a number of samples as text: ``1 sample``, ``12.5 samples``, ``2828 samples``."""
    number = f"{value:.3g}" if value < 999.5 else f"{value:.0f}"
    return f"{number} sample{'' if number == '1' else 's'}"


def spread(least: float, most: float, write: Callable[[float], str] = seconds) -> str:
    """Return a range of times as text: ``11.1-53.3 ms``, ``808 us-1.2 s``; one time if both times have the same text.

    Args:
        least: The shortest time.
        most: The longest time.
        write: Returns a time as text.
    """
    low, high = write(least), write(most)
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return f"{number}-{high}" if not least or high.endswith(f" {unit}") else f"{low}-{high}"


def percent(value: float) -> str:
    """Return a percentage as text: ``41 %``, ``0.3 %``, ``< 0.1 %``."""
    if value >= 9.95:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.05 or value == 0 else "< 0.1 %"


def count(value: float) -> str:
    """Return a count as text: ``3.1e9``, ``870``; ``inf`` if it is too large for a float."""
    if value < 9995 or isinf(value):
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def many(number: int, noun: str) -> str:
    """Return a number with a noun: ``1 rank``, ``3 classes``."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def letters(number: int) -> str:
    """Return a number from 0 as letters, like the columns of a spreadsheet: ``A``, ..., ``Z``, ``AA``."""
    written = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        written = chr(ord("A") + letter) + written
    return written


def volume(value: float) -> str:
    """Return a number of bytes as text with three digits: ``1.2 GB``, ``83 MB``, ``512 B``."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} B"


def joules(value: float) -> str:
    """Return an energy in joules as text with three digits: ``1.2 kJ``, ``83 J``, ``512 mJ``."""
    for unit, size in (("MJ", 1e6), ("kJ", 1e3), ("J", 1.0), ("mJ", 1e-3)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {unit}" if value < 999.5 * size else f"{value / size:.0f} {unit}"
    least = f"{value * 1e6:.0f}"
    return "0 J" if least == "0" else f"{least} uJ"


def ranks(labels: Sequence[int | str], most: int = 4) -> str:
    """Return ranks or threads as text, in at most ``most`` ranges: ``ranks 0-2, 5``, ``threads 0.1-0.3``."""
    what = "thread" if labels and "." in str(labels[0]) else "rank"
    return f"{what}{'' if len(labels) == 1 else 's'} {ranges(labels, most)}"


def ranges(labels: Sequence[int | str], most: int = 4) -> str:
    """Return ranks or threads as text without a noun, in at most ``most`` ranges: ``0-2, 5``."""
    parts: list[list[int | str]] = []
    for label in labels:
        if parts and _follows(parts[-1][-1], label):
            parts[-1] = [parts[-1][0], label]
        elif len(parts) < most:
            parts.append([label])
        else:
            return ", ".join([*map(_joined, parts[:-1]), f"… {labels[-1]}"])
    return ", ".join(map(_joined, parts))


def _joined(part: Sequence[int | str]) -> str:
    return "-".join(map(str, part))


def _follows(label: int | str, next_label: int | str) -> bool:
    """Return whether a label follows another in a range: the next rank, or the next thread of the same rank."""
    if isinstance(label, int) and isinstance(next_label, int):
        return next_label == label + 1
    one, other = (re.fullmatch(r"(.*\.)?([0-9]+)(#.*)?", str(each)) for each in (label, next_label))
    assert one and other
    return one.group(1, 3) == other.group(1, 3) and int(other[2]) == int(one[2]) + 1


_WRITERS: Final = {"sec": seconds, "occ": count, "bytes": volume, "J": joules, "samples": samples}


def titled(name: str, unit: str) -> str:
    """Return the title of a column, with the unit if the cells will not contain it: ``power [W]``."""
    return name if unit in ("", "1", *_WRITERS) else f"{name} [{unit}]"


def amount(value: float, unit: str) -> str:
    """Return a metric's value as text; it may be negative or missing: ``-83 ms``, ``3.1e9``, ``-``."""
    if isnan(value):
        return "-"
    writer = _WRITERS.get(unit)
    if writer is None:
        return f"{value + 0.0:.6g}" if abs(value) < _LARGE else f"{'-' * (value < 0)}{count(abs(value))}"
    written = writer(abs(value))
    return f"-{written}" if value < 0 and written not in _NOTHING else written
