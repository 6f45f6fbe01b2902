"""Communication between the processes that work on one experiment; there may be only one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Alone", "Communicator"]

_Value = TypeVar("_Value")
_Numbers = npt.NDArray[np.float64]


class Communicator(Protocol):
    """A group of processes; every operation is collective."""

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""

    @property
    def size(self) -> int:
        """The number of processes."""

    def reduce(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Combine the values of all processes pairwise, in process order; return the result on process 0, else None."""

    def broadcast(self, value: Any) -> Any:
        """Return process 0's value."""

    def scatter(self, values: Sequence[Any] | None) -> Any:
        """Distribute process 0's values, one per process; return the value for this process."""

    def allgather(self, value: _Value) -> list[_Value]:
        """Return the values of all processes."""

    def alltoall(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Send one array to each process; return the received arrays, flattened."""


class Alone:
    """The communicator of a single process."""

    rank: Final = 0
    size: Final = 1

    def reduce(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Return the value, because there is only one process."""
        return value

    def broadcast(self, value: Any) -> Any:
        """Return the value."""
        return value

    def scatter(self, values: Any) -> Any:
        """Return the only value."""
        (value,) = values
        return value

    def allgather(self, value: _Value) -> list[_Value]:
        """Return the value in a list."""
        return [value]

    def alltoall(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Return the only array."""
        return list(values)
