"""Dynamic time warping: match the samples of two sequences (Hauswirth et al., OOPSLA 2005, section 3.2).

The table of least errors is computed one diagonal at a time, because the cells of a diagonal depend only on the two
diagonals before it. To save memory, only some diagonals are kept. From the kept diagonals, the path is traced back one
block at a time, recomputing only cells that can be on the path. So the path is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, floor, inf, isqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from ...analyze.run.arrays import Flags, Indices, Values
from ...errors import InputError

__all__ = ["Told", "Warp", "warp", "warp_error"]

Told = Callable[[int, int], object]
"""Progress callback: takes the number of diagonals that are done, and their total number."""

_CHUNK: Final = 1 << 13  # cells to compute at once, so that they fit in a core's L2 cache
_APART: Final = 4  # distance between kept diagonals, divided by the square root of the number of all diagonals
_TOLD: Final = 256  # diagonals between two calls of the progress callback


@dataclass(frozen=True, slots=True, eq=False)
class Warp:
    """A warp path and the difference between the sequences along it.

    Attributes:
        x: ``int[pair]``: samples of the first sequence, counted from 0.
        y: ``int[pair]``: the matching samples of the second sequence.
        error: The sum of the distances between matching samples (Eq. 1), without penalties.
    """

    x: Indices
    y: Indices
    error: float


def warp(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    band: float | None = None,
    penalty: float = 0.0,
    open_ends: bool = False,
    told: Told | None = None,
) -> Warp:
    """Return the warp path of least error, which matches all samples in order and the ends with each other.

    If several paths have the least error, the result is the path that, followed backwards from its end, steps in both
    sequences at once for as long as possible. Time is O(n·m), memory O((n + m)^0.5 · n).

    Args:
        x: ``float[n]``: the first sequence.
        y: ``float[m]``: the second sequence.
        band: The maximum distance of a pair from the straight line between the ends, as a fraction of the length; None
            for no limit. One sample to the side is always allowed.
        penalty: Additional cost of a step in only one sequence, in the unit of the values. With a penalty, fewer
            samples of one sequence match the same sample of the other (section 4.2.1).
        open_ends: Whether samples at both ends of ``y`` may be left out, to find ``x`` as a part of it.
        told: Progress callback.

    Raises:
        InputError: A sequence is empty or has a value that is not finite, or a band or a penalty is negative.
    """
    table = _Table(x, y, band, penalty, open_ends)
    apart = max(_APART * isqrt(table.diagonals), 2)
    kept: list[tuple[Values, Values]] = []
    end = _forward(table, told, kept, apart)
    pairs = np.array([*_backward(table, end, kept, apart)][::-1], dtype=np.intp)
    error = float(np.abs(table.x[pairs[:, 0]] - table.y[pairs[:, 1]]).sum())
    return Warp(pairs[:, 0], pairs[:, 1], error)


def warp_error(x: npt.ArrayLike, y: npt.ArrayLike, *, band: float | None = None, told: Told | None = None) -> float:
    """Return the least error of all warp paths (Eq. 1); this needs memory for a few copies of ``x``.

    Args:
        x: ``float[n]``: the first sequence.
        y: ``float[m]``: the second sequence.
        band: As for ``warp``.
        told: Progress callback.

    Raises:
        InputError: As for ``warp``.
    """
    return _forward(_Table(x, y, band, 0.0, False), told).error


@dataclass(frozen=True, slots=True)
class _End:
    """The last pair of a path: its sample of ``x``, its diagonal, and the error so far, with penalties."""

    x: int
    diagonal: int
    error: float


class _Rows:
    """Three diagonals of the table, each a row of values by i, preceded by a cell outside the table.

    Attributes:
        before: The second diagonal before the current one.
        latest: The diagonal before the current one.
        out: The current diagonal.
        shift: The number of values that are missing at the front of the rows.
    """

    def __init__(self, before: Values, latest: Values, shift: int = 0) -> None:
        self.before, self.latest, self.out, self.shift = before, latest, np.full(len(latest), inf), shift

    def here(self, first: int, last: int) -> slice:
        """Return the slice of a row that contains the values for i from ``first`` to ``last``, inclusive."""
        return slice(first + 1 - self.shift, last + 2 - self.shift)

    def turn(self) -> None:
        """Advance to the next diagonal."""
        self.before, self.latest, self.out = self.latest, self.out, self.before


class _Table:
    """The table of least errors of paths to each pair of samples (i, j).

    Cells with i + j = k form diagonal k; a cell is addressed by k and i.
    """

    def __init__(self, x: npt.ArrayLike, y: npt.ArrayLike, band: float | None, penalty: float, open_ends: bool) -> None:
        self.x, self.y = _sequence(x), _sequence(y)
        if band is not None and not band >= 0:
            raise InputError(f"expected a band of at least 0 (a share of the length), found {band:g}")
        if not 0 <= penalty < inf:
            raise InputError(f"expected a penalty of at least 0, found {penalty:g}")
        self.diagonals = len(self.x) + len(self.y) - 1
        self.open_ends = open_ends
        self._penalty = penalty
        self._steps = max(len(self.x) - 1, 1), max(len(self.y) - 1, 1)
        self._band = None if band is None else max(band, 1 / min(self._steps))
        self._backwards = np.ascontiguousarray(self.y[::-1])
        self._cost = np.empty(_CHUNK)

    def span(self, k: int) -> tuple[int, int]:
        """Return the first and the last i of a diagonal."""
        low, high = max(0, k - len(self.y) + 1), min(k, len(self.x) - 1)
        if self._band is None:
            return low, high
        along, beside = self._steps
        slope = 1 / along + 1 / beside
        low = max(low, ceil((k / beside - self._band) / slope - 1e-9))
        return low, min(high, floor((k / beside + self._band) / slope + 1e-9))

    def rows(self) -> _Rows:
        """Return the rows with which the first diagonal is computed."""
        return _Rows(*np.full((2, len(self.x) + 1), inf))

    def enter(self, k: int, rows: _Rows) -> None:
        """Set the cell outside the table from which a path may begin on diagonal k."""
        if not rows.shift:
            rows.before[0] = 0.0 if self.open_ends or k == 0 else inf

    def alone(self, first: int, last: int, rows: _Rows, out: Values | None = None) -> Values:
        """Return, for cells of a diagonal, the least error of the paths whose last step is in only one sequence."""
        least = np.minimum(rows.latest[rows.here(first - 1, last - 1)], rows.latest[rows.here(first, last)], out=out)
        if self._penalty:
            least += self._penalty
        return least

    def fill(self, k: int, first: int, last: int, rows: _Rows) -> None:
        """Compute the cells of diagonal k, from the first i to the last."""
        behind = len(self.y) - 1 - k
        for start in range(first, last + 1, _CHUNK):
            stop = min(start + _CHUNK, last + 1)
            cost, least = self._cost[: stop - start], rows.out[rows.here(start, stop - 1)]
            np.subtract(self.x[start:stop], self._backwards[behind + start : behind + stop], out=cost)
            np.abs(cost, out=cost)
            self.alone(start, stop - 1, rows, least)
            np.minimum(least, rows.before[rows.here(start - 1, stop - 2)], out=least)
            np.add(least, cost, out=least)
        rows.out[first - rows.shift] = inf  # the value there belongs to an earlier diagonal


def _sequence(values: npt.ArrayLike) -> Values:
    found = np.ascontiguousarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise InputError(f"expected a sequence of at least one value, found a sequence of shape {found.shape}")
    if not np.isfinite(found).all():
        raise InputError(
            f"expected finite values, found {found[~np.isfinite(found)][0]} at index {np.isfinite(found).argmin()}"
        )
    return found


def _forward(table: _Table, told: Told | None, kept: list[tuple[Values, Values]] | None = None, apart: int = 1) -> _End:
    """Compute all diagonals and return the end of the best path; add pairs of diagonals to ``kept`` if given."""
    rows = table.rows()
    end = _End(0, 0, inf)
    final, width = table.diagonals - 1, len(table.x)
    for k in range(table.diagonals):
        table.enter(k, rows)
        if kept is not None and k % apart == 0:
            kept.append((rows.before.copy(), rows.latest.copy()))
        first, last = table.span(k)
        table.fill(k, first, last, rows)
        if last == width - 1 and (table.open_ends or k == final) and rows.out[width] < end.error:
            end = _End(last, k, float(rows.out[width]))
        rows.turn()
        if told and k % _TOLD == 0:
            told(k, table.diagonals)
    return end


def _backward(table: _Table, end: _End, kept: list[tuple[Values, Values]], apart: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of the path, the last one first."""
    i, k = end.x, end.diagonal
    while i >= 0 and k >= 0:
        start = k // apart * apart
        ways = _ways(table, i, k, start, kept[k // apart])
        while i >= 0 and k >= start:
            yield i, k - i
            first, alone, second = ways[k - start]
            if not alone[i - first]:
                i, k = i - 1, k - 2
            elif second[i - first]:
                k -= 1
            else:
                i, k = i - 1, k - 1


def _ways(table: _Table, i: int, k: int, start: int, kept: tuple[Values, Values]) -> list[tuple[int, Flags, Flags]]:
    """Recompute diagonals from ``start`` to k, as far as paths to the cell (k, i) can use them.

    Returns:
        For each diagonal, the i of its first cell, and two flags per cell: whether the best step to the cell is in only
        one sequence, and if so, whether it is in the second sequence.
    """
    shift = max(0, i - (k - start) - 2)
    before, latest = (row[shift : i + 2].copy() for row in kept)
    rows = _Rows(before, latest, shift)
    found = []
    for number in range(start, k + 1):
        first, last = table.span(number)
        first, last = max(first, i - (k - number)), min(last, i)
        table.enter(number, rows)
        here, above = rows.here(first, last), rows.here(first - 1, last - 1)
        is_alone = table.alone(first, last, rows) < rows.before[above]
        found.append((first, is_alone, rows.latest[here] < rows.latest[above]))
        table.fill(number, first, last, rows)
        rows.turn()
    return found
