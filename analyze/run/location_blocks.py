"""Process an experiment in blocks of whole processes, so that a metric of a million ranks never has to fit in memory.

Only the experiment determines the blocks. So sums are bit-identical, whether one process computes them or the processes
of an MPI job share the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from ...experiment import Experiment

__all__ = ["WORKERS", "Workers", "over_locations"]

Result = TypeVar("Result")
Rest = ParamSpec("Rest")


class Workers(Protocol):
    """Processes that have opened the same experiment."""

    def over_locations(
        self, experiment: Experiment, function: Callable[..., Result], arguments: tuple[Any, ...]
    ) -> Iterator[Result]:
        """Yield the same results as the function ``over_locations``, with the blocks divided among the workers."""
        ...


WORKERS: Final[ContextVar[Workers | None]] = ContextVar("WORKERS", default=None)
"""The processes that share the blocks; None if there is only this process."""


def over_locations(
    experiment: Experiment,
    function: Callable[Concatenate[Experiment, slice, Rest], Result],
    *arguments: Rest.args,
    **_: Rest.kwargs,
) -> Iterator[Result]:
    """Yield a function's result for each block of consecutive locations, in order.

    Args:
        experiment: Any experiment.
        function: Called with the block, the slice of locations that it contains, and the arguments. It must be defined
            in a module, because workers may receive only its name.
        arguments: Further arguments, the same for each block; they must not be experiments.
    """
    workers, blocks = WORKERS.get(), experiment.location_blocks()
    if workers and len(blocks) > 1:
        yield from workers.over_locations(experiment, function, arguments)
        return
    for columns in blocks:
        part = experiment if len(blocks) == 1 else experiment.of_locations(columns)
        yield function(part, columns, *arguments)  # type: ignore[call-arg]
