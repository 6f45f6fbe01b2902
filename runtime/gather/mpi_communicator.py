"""An MPI communicator with the operations that several processes need to write one experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["MpiCommunicator"]

_Value = TypeVar("_Value")
_Numbers = npt.NDArray[np.float64]


class MpiCommunicator:
    """A communicator of mpi4py with the operations of ``experiment.communicator.Communicator``."""

    def __init__(self, communicator: Any) -> None:
        self._communicator = communicator
        self.rank: int = communicator.Get_rank()
        self.size: int = communicator.Get_size()

    def reduce(self, value: _Value, join: Callable[[_Value, _Value], _Value]) -> _Value | None:
        """Reduce the values of all processes pairwise, in the order of their numbers; return None except on process 0.

        ::

            0   1   2   3   4
            0———┘   2———┘   4
            0———————┘       4
            0———————————————┘
        """
        step = 1
        while step < self.size:
            if self.rank % (2 * step):
                self._communicator.send(value, dest=self.rank - step)
                return None
            if self.rank + step < self.size:
                value = join(value, self._communicator.recv(source=self.rank + step))
            step *= 2
        return value

    def broadcast(self, value: Any) -> Any:
        """Return process 0's value."""
        return self._communicator.bcast(value, root=0)

    def scatter(self, values: Sequence[Any] | None) -> Any:
        """Return the value that process 0 has for this process."""
        return self._communicator.scatter(values, root=0)

    def allgather(self, value: _Value) -> list[_Value]:
        """Return the values of all processes."""
        found: list[_Value] = self._communicator.allgather(value)
        return found

    def alltoall(self, values: Sequence[_Numbers]) -> list[_Numbers]:
        """Send each process its array, and return the received arrays, flattened."""
        sent = [each.size for each in values]
        taken = self._communicator.alltoall(sent)
        found = np.empty(sum(taken))
        places = [*accumulate(taken, initial=0)]
        self._communicator.Alltoallv(
            [np.concatenate([each.ravel() for each in values]), (sent, [*accumulate(sent, initial=0)][:-1])],
            [found, (taken, places[:-1])],
        )
        return [found[start:stop] for start, stop in pairwise(places)]
