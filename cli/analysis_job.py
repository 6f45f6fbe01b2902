"""``srun -n 64 autoanalyzer analyze``: the first process of the job leads, the others go over blocks of ranks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..analyze.blocks import WORKERS, Result
from ..analyze.imported import in_own_names
from ..errors import AutoanalyzerError
from ..experiment import Experiment, load
from ..runtime.mpi.own_job import join_job

__all__ = ["AnalysisJob"]


class AnalysisJob:
    """The processes that a launcher has started, as what one of them sees: those that work for it, or its leader.

    Args:
        communicator: Of mpi4py; None if this process is alone.
    """

    def __init__(self, communicator: Any | None) -> None:
        self._communicator = communicator
        self._blocks = 1
        self._left: Iterator[int] = iter(())  # blocks that nobody has asked for yet

    @classmethod
    def joined(cls) -> AnalysisJob:
        """Join the job that this process is one of.

        Raises:
            InputError: As ``join_job`` says.
        """
        return cls(join_job())

    @property
    def leads(self) -> bool:
        """Whether this process does what a process alone would."""
        return self._communicator is None or self._communicator.Get_rank() == 0

    def lead(self, experiment: Experiment, file: Path, work: Callable[[], int]) -> int:
        """Do some work on an experiment, whose blocks the others help with.

        Args:
            experiment: What is analysed.
            file: Where it was read from.
            work: Gives the exit status.
        """
        self._blocks = len(experiment.location_blocks())
        if self._communicator is None or self._blocks == 1 or not self._are_ready(file):
            self._dismiss()
            return work()
        token = WORKERS.set(self)
        try:
            return work()
        finally:
            WORKERS.reset(token)
            self._drain()
            self._communicator.bcast(None)

    def _are_ready(self, file: Path) -> bool:
        """Let all others open the file, and tell whether they can, and see the same."""
        assert self._communicator is not None
        self._communicator.bcast(file)
        _, *others = self._communicator.gather("")
        wrong = [(rank, said) for rank, said in enumerate(others, start=1) if said != str(self._blocks)]
        for rank, said in wrong[:1]:
            warnings.warn(
                f"process {rank} of the job cannot help, so that the first one works alone: "
                + (f"expected the same experiment, found {said} blocks of it" if said.isdigit() else said),
                stacklevel=3,
            )
        return not wrong

    @contextmanager
    def dismissed_on_failure(self) -> Iterator[None]:
        """Tell the others that there is nothing to do, if what this process does first fails."""
        try:
            yield
        except BaseException:
            self._dismiss()
            raise

    def _dismiss(self) -> None:
        if self._communicator is not None:
            self._communicator.bcast(None)

    def over_locations(
        self, experiment: Experiment, function: Callable[..., Result], arguments: tuple[Any, ...]
    ) -> Iterator[Result]:
        """Share the blocks out among all processes, in turn, and give what comes of them in their order."""
        assert self._communicator is not None
        blocks = experiment.location_blocks()
        assert len(blocks) == self._blocks  # those of the experiment that the others have open
        self._drain()
        self._communicator.bcast((function, arguments))
        self._left = iter(range(len(blocks)))
        for number in self._left:
            if number % self._communicator.Get_size():
                found = self._receive(number)
            else:
                found = _result(experiment, blocks[number], function, arguments)
            if isinstance(found, _Failure):
                raise found.error
            yield found

    def _drain(self) -> None:
        """Take what the others still send, though nobody asks for it any more."""
        for number in self._left:
            self._receive(number)

    def _receive(self, number: int) -> Any:
        assert self._communicator is not None
        worker = number % self._communicator.Get_size()
        return self._communicator.recv(source=worker) if worker else None

    def serve(self) -> int:
        """Do what the leader asks for, until that is nothing more."""
        assert self._communicator is not None
        file = self._communicator.bcast(None)
        if file is None:
            return 0
        warnings.simplefilter("ignore")  # the leader warns
        try:
            experiment = in_own_names(load(file))
            blocks = experiment.location_blocks()
        except (AutoanalyzerError, OSError, MemoryError) as error:
            self._communicator.gather(str(error) or "out of memory")
            self._communicator.bcast(None)
            return 0
        self._communicator.gather(str(len(blocks)))
        own = range(self._communicator.Get_rank(), len(blocks), self._communicator.Get_size())
        while (asked := self._communicator.bcast(None)) is not None:
            function, arguments = asked
            for number in own:
                self._communicator.send(_result(experiment, blocks[number], function, arguments), dest=0)
        return 0


class _Failure:
    """What a worker could not do."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _result(experiment: Experiment, columns: slice, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(experiment.of_locations(columns), columns, *arguments)
    except Exception as error:  # whatever it is, the leader raises it
        return _Failure(error)
