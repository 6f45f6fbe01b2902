"""The similarity of procedures or regions in different versions of a program, by size, position and callees."""

from __future__ import annotations

from ..region import Region
from .procedures import Procedure

__all__ = ["overlap", "ratio", "same_offset", "same_text", "size"]


def same_text(mine: Procedure, theirs: Procedure) -> bool:
    """Return whether two procedures seem to have the same text.

    This is assumed if their lengths are equal, and all regions that both contain are at the same lines relative to the
    procedure.
    """
    if mine.lines is None or theirs.lines is None:
        return _same_places(mine, theirs, 0, 0)
    return mine.length == theirs.length and _same_places(mine, theirs, mine.lines[0], theirs.lines[0])


def _same_places(mine: Procedure, theirs: Procedure, start: int, other_start: int) -> bool:
    one, other = _places(mine, start), _places(theirs, other_start)
    return all(one[each] == other[each] for each in one.keys() & other.keys())


def _places(procedure: Procedure, start: int) -> dict[tuple[str, int], tuple[int, int]]:
    """Map the kind and ordinal of each enclosed region to its first and last line, relative to the line ``start``."""
    return {(each.kind, each.ordinal): (each.first_line - start, each.last_line - start) for each in procedure.inner}


def same_offset(mine: Procedure, theirs: Procedure, one: Region, other: Region) -> bool:
    """Return whether two regions are at the same distance from the beginning, or from the end, of their procedures."""
    if mine.lines is None or theirs.lines is None:
        return one.first_line == other.first_line
    from_start = one.first_line - mine.lines[0] == other.first_line - theirs.lines[0]
    return from_start or mine.lines[1] - one.last_line == theirs.lines[1] - other.last_line


def size(region: Region) -> int:
    """Return the number of lines of a region; 0 if unknown."""
    return max(0, region.last_line - region.first_line + 1) if region.first_line else 0


def ratio(one: int, other: int) -> float:
    """Return the smaller size divided by the larger one; the neutral value 0.5 if a size is unknown (0)."""
    return min(one, other) / max(one, other) if one and other else 0.5


def overlap(one: set[str], other: set[str]) -> float:
    """Return the Jaccard similarity of two sets, 0 to 1; the neutral value 0.5 if both are empty."""
    return len(one & other) / len(one | other) if one | other else 0.5
