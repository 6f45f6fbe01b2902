"""Processes that work on one experiment together, of which there may be one alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Alone", "Communicator"]

_Value = TypeVar("_Value")
_Numbers = npt.NDArray[np.float64]


class Communicator(Protocol):
    """The processes; each of its operations is one that all of them carry out."""

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""

    @property
    def size(self) -> int:
        """How many there are."""

    def union(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Join the values of all, pairwise and in the order of their numbers; None but for process 0."""

    def told(self, value: Any) -> Any:
        """Give what process 0 has."""

    def handed(self, values: Sequence[Any] | None) -> Any:
        """Give what process 0 has for this one."""

    def all_of(self, value: _Value) -> list[_Value]:
        """Give the values of all."""

    def exchanged(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Give each process its array, and get one of each, flat."""


class Alone:
    """One process."""

    rank: Final = 0
    size: Final = 1

    def union(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Give the value."""
        return value

    def told(self, value: Any) -> Any:
        """Give the value."""
        return value

    def handed(self, values: Any) -> Any:
        """Give the one value."""
        (value,) = values
        return value

    def all_of(self, value: _Value) -> list[_Value]:
        """Give the value."""
        return [value]

    def exchanged(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Give the one array."""
        return list(values)
