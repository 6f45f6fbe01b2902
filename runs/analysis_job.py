"""``srun -n 64 autoanalyzer analyze``: the first process of the job leads, the others go over blocks of ranks."""

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
_SAMPLES: Final = 64  # places of a file at which it is compared
_SAMPLE: Final = 1 << 14  # bytes at each


class AnalysisJob:
    """The processes that a launcher has started, as what one of them sees: those that work for it, or its leader.

    Args:
        communicator: Of mpi4py; None where this process has nobody to speak to.
        leads: Whether this process does what a process alone would.
    """

    def __init__(self, communicator: Any | None, *, leads: bool) -> None:
        self.leads = leads
        self._communicator = communicator
        self._blocks = 1
        self._left: Iterator[int] = iter(())  # blocks that nobody has asked for yet

    @classmethod
    def alone(cls) -> AnalysisJob:
        """Take this process for the only one."""
        return cls(None, leads=True)

    @classmethod
    def joined(cls, path: Path) -> AnalysisJob:
        """Join the job that this process is one of, if what it analyses is enough for several.

        A script that all ranks of a program run may analyse a small run on one of them.

        Args:
            path: What is analysed: a file, or the folder of a run.

        Raises:
            InputError: As ``begin_mpi`` says.
        """
        started = started_processes()
        if started is None:
            return cls.alone()
        return cls(begin_mpi(started, _OTHERWISE) if _is_enough(path) else None, leads=started.rank == 0)

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
        own, *others = self._communicator.gather(_print_of(file))
        wrong = [(rank, said) for rank, said in enumerate(others, start=1) if said != own]
        for rank, said in wrong[:1]:
            why = said if isinstance(said, str) else f"{file} is another file on its node"
            warning = f"process {rank} of the job cannot help, so that the first one works alone: {why}"
            warnings.warn(warning, stacklevel=3)
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
        """Do what the leader asks for, until that is nothing more; give the exit status."""
        if self._communicator is None:
            return 0
        try:
            self._serve()
        except Exception:  # whatever it is, the others must not wait for this one
            traceback.print_exc()
            sys.stderr.flush()
            self._communicator.Abort(2)
        return 0

    def _serve(self) -> None:
        assert self._communicator is not None
        file = self._communicator.bcast(None)
        if file is None:
            return
        warnings.simplefilter("ignore")  # the leader warns
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
    """Whether there are several blocks to share out; so it is taken to be of what is not gathered, or not seen, yet."""
    folder = RunFolder(path)
    if path.is_dir() and not (folder.experiment.exists() and not folder.has_later_shards()):
        return True
    with warnings.catch_warnings(), suppress(AutoanalyzerError, OSError):
        warnings.simplefilter("ignore")
        return len(load(path).location_blocks()) > 1
    return True


def _print_of(file: Path) -> tuple[int, int]:
    """Give the size of a file, and a number that hardly two files of a size share."""
    number = 0
    with file.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        for place in range(_SAMPLES):
            stream.seek(place * size // _SAMPLES)
            number = crc32(stream.read(_SAMPLE), number)
    return size, number


class _Failure:
    """What a worker could not do."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _result(experiment: Experiment, columns: slice, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(experiment.of_locations(columns), columns, *arguments)
    except Exception as error:  # whatever it is, the leader raises it
        return _Failure(error)
