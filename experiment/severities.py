"""Severities that stay where they are until a metric is asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["LazySeverities", "Severity"]

Severity = npt.NDArray[np.float64]

_KEPT: Final = 256 << 20  # bytes: an analysis asks for the same few metrics again and again


class LazySeverities(Mapping[str, Severity]):
    """Metric name to ``float64[call path, location]``, read or computed when asked for.

    The last ones asked for are kept, up to a quarter of a gigabyte; they are not to be changed.

    Args:
        names: The metrics.
        read: Gives the exclusive values of a metric.
        inclusive: Gives the inclusive ones where those are what is stored, so that nothing is rounded on the way;
            None for all other metrics.
        kept: Bytes to keep.
    """

    def __init__(
        self,
        names: Iterable[str],
        read: Callable[[str], Severity],
        *,
        inclusive: Callable[[str], Severity | None] = lambda _: None,
        kept: int = _KEPT,
    ) -> None:
        self._names = dict.fromkeys(names)
        self._read = read
        self._inclusive = inclusive
        self._limit = kept
        self._size = 0
        self._kept: OrderedDict[tuple[str, bool], Severity] = OrderedDict()

    def __getitem__(self, name: str) -> Severity:
        if name not in self._names:
            raise KeyError(name)
        found = self._cached(name, inclusive=False)
        return self._keep(name, self._read(name), inclusive=False) if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def inclusive(self, name: str) -> Severity | None:
        """Give the inclusive values of a metric if those are what is stored."""
        found = self._cached(name, inclusive=True)
        if found is None and (read := self._inclusive(name)) is not None:
            return self._keep(name, read, inclusive=True)
        return found

    def _cached(self, name: str, *, inclusive: bool) -> Severity | None:
        found = self._kept.get((name, inclusive))
        if found is not None:
            self._kept.move_to_end((name, inclusive))
        return found

    def _keep(self, name: str, values: Severity, *, inclusive: bool) -> Severity:
        values = values.view()  # what was read may be another's, who may change it
        values.flags.writeable = False
        self._kept[name, inclusive] = values
        self._size += values.nbytes
        while self._size > self._limit:
            self._size -= self._kept.popitem(last=False)[1].nbytes
        return values
