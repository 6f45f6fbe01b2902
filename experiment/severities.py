"""Severities that stay in their file until a metric is used."""

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
    """Caches the most recently used values, up to a size in bytes; analyses use the same few metrics repeatedly."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._values: OrderedDict[Hashable, Severity] = OrderedDict()

    def find(self, key: Hashable) -> Severity | None:
        """Return the cached values of a key; None if there are none."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def keep(self, key: Hashable, values: Severity) -> None:
        """Cache values under a new key, and drop the least recently used values if the cache is full."""
        self._values[key] = values
        self._size += values.nbytes
        while self._size > self._limit:
            self._size -= self._values.popitem(last=False)[1].nbytes

    def drop(self, keys: Iterable[Hashable]) -> None:
        """Drop the cached values of some keys."""
        for key in keys:
            found = self._values.pop(key, None)
            if found is not None:
                self._size -= found.nbytes


_OF_ALL: Final = Kept(256 << 20)
_NUMBERS: Final = count()


class LazySeverities(Mapping[str, Severity]):
    """Maps metric names to ``float64[call path, location]``, read or computed on demand.

    The most recently used values of all experiments are cached, up to a quarter of a gigabyte; do not change them.

    Args:
        names: The names of the metrics.
        read: Returns the exclusive values of a metric.
        inclusive: Returns the stored inclusive values of a metric, so that nothing is rounded; None if the file has no
            inclusive values of the metric.
        rows: Returns exclusive values of some call paths; None if the whole metric must be read.
        columns: Returns exclusive values of consecutive locations; None if the whole metric must be read.
        kept: The cache for values that were read.
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
        """Return a metric's inclusive values, ``float64[call path, location]``; None if the file stores none."""
        found = self._kept.find((self._number, name, True))
        if found is None and (read := self._inclusive(name)) is not None:
            return self._keep(name, read, inclusive=True)
        return found

    def alone(self, name: str, rows: Rows) -> Severity | None:
        """Return the exclusive values of some call paths, ``float64[row, location]``, without reading other call paths.

        Return None if this is impossible, or if the whole metric is already cached.
        """
        return None if self._kept.find((self._number, name, False)) is not None else self._rows(name, rows)

    @property
    def by_columns(self) -> bool:
        """Whether ``of_columns`` may return values rather than None."""
        return self._columns is not None

    def of_columns(self, name: str, columns: slice) -> Severity | None:
        """Return the exclusive values of consecutive locations, ``float64[call path, column]``, without reading others.

        Return None if this is impossible, or if the whole metric is already cached.
        """
        if self._columns is None or self._kept.find((self._number, name, False)) is not None:
            return None
        return self._columns(name, columns)

    def _keep(self, name: str, values: Severity, *, inclusive: bool) -> Severity:
        values = values.view()  # only this view becomes read-only, because others may own the array
        values.flags.writeable = False
        key = self._number, name, inclusive
        self._asked.add(key)
        self._kept.keep(key, values)
        return values
