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

    def reduce(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Reduce the values of all to one, pairwise and in the order of their numbers; None but for process 0."""

    def broadcast(self, value: Any) -> Any:
        """Give what process 0 has."""

    def scatter(self, values: Sequence[Any] | None) -> Any:
        """Give what process 0 has for this one."""

    def allgather(self, value: _Value) -> list[_Value]:
        """Give the values of all."""

    def alltoall(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Give each process its array, and get one of each, flat."""


class Alone:
    """One process."""

    rank: Final = 0
    size: Final = 1

    def reduce(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Give the value."""
        return value

    def broadcast(self, value: Any) -> Any:
        """Give the value."""
        return value

    def scatter(self, values: Any) -> Any:
        """Give the one value."""
        (value,) = values
        return value

    def allgather(self, value: _Value) -> list[_Value]:
        """Give the value."""
        return [value]

    def alltoall(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Give the one array."""
        return list(values)
