"""Severities that stay where they are until a metric is asked for."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import count
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["Kept", "LazySeverities", "Rows", "Severity"]

Severity = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


class Kept:
    """Keeps what was asked for last, up to so many bytes: an analysis asks for the same few metrics again and again."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._values: OrderedDict[Hashable, Severity] = OrderedDict()

    def find(self, key: Hashable) -> Severity | None:
        """Give what is kept under a key."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def keep(self, key: Hashable, values: Severity) -> None:
        """Keep values under a key that there are none under, and drop what was not asked for the longest."""
        self._values[key] = values
        self._size += values.nbytes
        while self._size > self._limit:
            self._size -= self._values.popitem(last=False)[1].nbytes

    def drop(self, keys: Iterable[Hashable]) -> None:
        """Drop what is kept under keys."""
        for key in keys:
            found = self._values.pop(key, None)
            if found is not None:
                self._size -= found.nbytes


_OF_ALL: Final = Kept(256 << 20)
_NUMBERS: Final = count()


class LazySeverities(Mapping[str, Severity]):
    """Metric name to ``float64[call path, location]``, read or computed when asked for.

    The last ones asked for, of all experiments together, are kept, up to a quarter of a gigabyte; they are not to be
    changed.

    Args:
        names: The metrics.
        read: Gives the exclusive values of a metric.
        inclusive: Gives the inclusive ones where those are what is stored, so that nothing is rounded on the way;
            None for all other metrics.
        rows: Gives exclusive values of some call paths alone; None where they cannot be read without all others.
        columns: Gives exclusive values of consecutive locations alone; None likewise, or if it never can.
        kept: Where they are kept.
    """

    def __init__(
        self,
        names: Iterable[str],
        read: Callable[[str], Severity],
        *,
        inclusive: Callable[[str], Severity | None] = lambda _: None,
        rows: Callable[[str, Rows], Severity | None] = lambda *_: None,
        columns: Callable[[str, slice], Severity | None] | None = None,
        kept: Kept = _OF_ALL,
    ) -> None:
        self._names = dict.fromkeys(names)
        self._read = read
        self._inclusive = inclusive
        self._rows = rows
        self._columns = columns
        self._kept = kept
        self._number = next(_NUMBERS)
        self._asked: set[tuple[int, str, bool]] = set()
        weakref.finalize(self, kept.drop, self._asked)

    def __getitem__(self, name: str) -> Severity:
        if name not in self._names:
            raise KeyError(name)
        found = self._kept.find((self._number, name, False))
        return self._keep(name, self._read(name), inclusive=False) if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def inclusive(self, name: str) -> Severity | None:
        """Give the inclusive values of a metric if those are what is stored."""
        found = self._kept.find((self._number, name, True))
        if found is None and (read := self._inclusive(name)) is not None:
            return self._keep(name, read, inclusive=True)
        return found

    def alone(self, name: str, rows: Rows) -> Severity | None:
        """Give the exclusive values of some call paths, read without the others, of which nothing is kept.

        None where they cannot be read so, or where all are kept already.
        """
        return None if self._kept.find((self._number, name, False)) is not None else self._rows(name, rows)

    @property
    def by_columns(self) -> bool:
        """Whether ``of_columns`` may have an answer."""
        return self._columns is not None

    def of_columns(self, name: str, columns: slice) -> Severity | None:
        """Give the exclusive values of consecutive locations, as ``alone`` gives those of call paths."""
        if self._columns is None or self._kept.find((self._number, name, False)) is not None:
            return None
        return self._columns(name, columns)

    def _keep(self, name: str, values: Severity, *, inclusive: bool) -> Severity:
        values = values.view()  # what was read may be another's, who may change it
        values.flags.writeable = False
        key = self._number, name, inclusive
        self._asked.add(key)
        self._kept.keep(key, values)
        return values
