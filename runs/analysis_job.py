"""Analyse an experiment with several processes, as in ``srun -n 64 autoanalyzer analyze``.

Rank 0 of the job leads and prints the verdict; the other ranks compute results for blocks of locations.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from ..analyze.run.foreign_metrics import in_own_names
from ..analyze.run.location_blocks import WORKERS, Result
from ..errors import AutoanalyzerError
from ..experiment import Experiment, load
from ..runtime.folder import RunFolder
from ..runtime.mpi.own_job import begin_mpi, started_processes

__all__ = ["AnalysisJob"]

_OTHERWISE: Final = "to analyse in one process: autoanalyzer analyze --alone"
_SAMPLES: Final = 64  # number of offsets at which the processes' views of a file are compared
_SAMPLE: Final = 1 << 14  # bytes compared at each offset


class AnalysisJob:
    """This process's role in an MPI job that analyses an experiment: leader or worker.

    Args:
        communicator: The communicator of mpi4py; None if this process works alone.
        leads: Whether this process is the leader.
    """

    def __init__(self, communicator: Any | None, *, leads: bool) -> None:
        self.leads = leads
        self._communicator = communicator
        self._blocks = 1
        self._left: Iterator[int] = iter(())  # numbers of the blocks whose results the leader has not received yet

    @classmethod
    def alone(cls) -> AnalysisJob:
        """Return a job that consists of this process only."""
        return cls(None, leads=True)

    @classmethod
    def joined(cls, path: Path) -> AnalysisJob:
        """Return the job to which this process belongs; start MPI only if the input has several blocks of locations.

        In a script that all ranks of a program execute, one rank may analyse a small run alone, without MPI.

        Args:
            path: The input: a file, or the folder of a run.

        Raises:
            InputError: mpi4py's MPI library does not connect the processes of the job.
        """
        started = started_processes()
        if started is None:
            return cls.alone()
        return cls(begin_mpi(started, _OTHERWISE) if _is_enough(path) else None, leads=started.rank == 0)

    def lead(self, experiment: Experiment, file: Path, work: Callable[[], int]) -> int:
        """Call ``work`` as the leader, with the help of workers if possible; return the exit status of ``work``.

        Args:
            experiment: The experiment to analyse.
            file: The file from which the experiment was read.
            work: The function that does the work and returns the exit status.
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
        """Let all workers open the file; return whether all of them found the same content as the leader."""
        assert self._communicator is not None
        self._communicator.bcast(file)
        own, *others = self._communicator.gather(_print_of(file))
        wrong = [(rank, said) for rank, said in enumerate(others, start=1) if said != own]
        for rank, said in wrong[:1]:
            why = said if isinstance(said, str) else f"on the node of this process, {file} is a different file"
            warning = f"process {rank} of the job cannot help, so the first process works alone: {why}"
            warnings.warn(warning, stacklevel=3)
        return not wrong

    @contextmanager
    def dismissed_on_failure(self) -> Iterator[None]:
        """Context manager that dismisses the workers if its block, the leader's work before ``lead``, fails."""
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
        """Call a function for each block of locations, distributed over all processes of the job; yield the results."""
        assert self._communicator is not None
        blocks = experiment.location_blocks()
        assert len(blocks) == self._blocks  # the workers have opened the same experiment
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
        """Receive and discard the results that workers still send."""
        for number in self._left:
            self._receive(number)

    def _receive(self, number: int) -> Any:
        assert self._communicator is not None
        worker = number % self._communicator.Get_size()
        return self._communicator.recv(source=worker) if worker else None

    def serve(self) -> int:
        """Work for the leader until it sends no more work; return the exit status."""
        if self._communicator is None:
            return 0
        try:
            self._serve()
        except Exception:  # after any failure, abort the job, because other processes would wait for this one forever
            traceback.print_exc()
            sys.stderr.flush()
            self._communicator.Abort(2)
        return 0

    def _serve(self) -> None:
        assert self._communicator is not None
        file = self._communicator.bcast(None)
        if file is None:
            return
        warnings.simplefilter("ignore")  # the leader issues the same warnings
        try:
            experiment = in_own_names(load(file))
            found: tuple[int, int] | str = _print_of(file)
        except (AutoanalyzerError, OSError, MemoryError) as error:
            self._communicator.gather(str(error) or "out of memory")
            self._communicator.bcast(None)
            return
        self._communicator.gather(found)
        blocks = experiment.location_blocks()
        own = range(self._communicator.Get_rank(), len(blocks), self._communicator.Get_size())
        while (asked := self._communicator.bcast(None)) is not None:
            function, arguments = asked
            for number in own:
                self._communicator.send(_result(experiment, blocks[number], function, arguments), dest=0)


def _is_enough(path: Path) -> bool:
    """Return whether an experiment has several blocks of locations; True if it cannot be read or is not gathered."""
    folder = RunFolder(path)
    if path.is_dir() and not (folder.experiment.exists() and not folder.has_later_shards()):
        return True
    with warnings.catch_warnings(), suppress(AutoanalyzerError, OSError):
        warnings.simplefilter("ignore")
        return len(load(path).location_blocks()) > 1
    return True


def _print_of(file: Path) -> tuple[int, int]:
    """Return the size of a file in bytes, and a checksum of samples of its content."""
    number = 0
    with file.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        for place in range(_SAMPLES):
            stream.seek(place * size // _SAMPLES)
            number = crc32(stream.read(_SAMPLE), number)
    return size, number


class _Failure:
    """An error that a worker sends to the leader instead of a result."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _result(experiment: Experiment, columns: slice, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(experiment.of_locations(columns), columns, *arguments)
    except Exception as error:  # the leader raises the error
        return _Failure(error)
