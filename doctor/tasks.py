"""Let the processes of a job, as in ``srun -N 2 autoanalyzer doctor``, report on their nodes to rank 0.

One process per node tests the node.

If the processes form one MPI program, answers are sent over MPI. Otherwise, they go through a shared folder: the
working directory, the cache, or the home folder. If there is neither MPI nor a shared folder, answers cannot reach
rank 0.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..atomic_file import replacing
from ..cache_place import cache_name
from ..errors import InputError
from .hydra import hydra_job
from .world import World

__all__ = ["EXCHANGE", "Answer", "Count", "Meeting", "Task", "home_folder", "is_launched", "this_task"]

EXCHANGE: Final = ".autoanalyzer-doctor-"

_STEP: Final = "SLURM_STEP_NUM_TASKS"
_OPEN_MPI: Final = "OMPI_COMM_WORLD_SIZE"
_HYDRA: Final = "PMI_SIZE"
# Slurm is last because other launchers may start their daemons with srun; their processes then have Slurm's variables.
_LAUNCHERS: Final = (
    ("OMPI_COMM_WORLD_RANK", _OPEN_MPI, "OMPI_COMM_WORLD_LOCAL_RANK", ("PMIX_NAMESPACE",)),
    ("PMI_RANK", _HYDRA, "MPI_LOCALRANKID", ()),
    # Several clusters may share a home folder, and use the same numbers for jobs.
    ("SLURM_PROCID", _STEP, "SLURM_LOCALID", ("SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID")),
)
_BY_OPEN_MPI: Final = {_OPEN_MPI: True, _HYDRA: False}
_JOIN: Final = 40.0  # seconds within which processes with a shared folder must find each other
_LOOK: Final = 15.0  # seconds to wait, instead of _JOIN, if MPI has already shown that rank 0 has started
_ANSWER: Final = 400.0  # seconds within which a node must have tested itself
_PAUSE: Final = 0.2
_MARK: Final = re.compile(r"task-([0-9]+)")  # name of the file by which each process shows that it sees a folder


Count = Callable[[int, int], object]
"""Progress callback: takes the number of other processes that have answered, and the total number of them."""


@dataclass(frozen=True, slots=True)
class Task:
    """This process's position in a launcher's job.

    Attributes:
        rank: Rank of this process.
        size: The number of processes in the job.
        local_rank: Rank of this process among those on its node.
        job: An identifier that all processes of the job share.
        by_open_mpi: Whether the launcher is Open MPI's; False for MPICH's, None if it starts programs of any library.
    """

    rank: int
    size: int
    local_rank: int
    job: str
    by_open_mpi: bool | None = None


def this_task(environment: Mapping[str, str] = os.environ) -> Task | None:
    """Return this process's position in a job, according to its environment, or None if it was started alone."""
    for rank, size, local, job in _LAUNCHERS:
        words = [environment.get(name, "") for name in (rank, size, local)]
        if all(word.isdigit() for word in words):
            if int(words[1]) < 2:
                return None
            common = ".".join(environment.get(name, "") for name in job) or hydra_job()
            safe = "".join(each if each.isalnum() else "." for each in common)
            return Task(int(words[0]), int(words[1]), int(words[2]), safe, _BY_OPEN_MPI.get(size))
    return None


def is_launched(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a launcher has started this process."""
    return any(size in environment for _, size, *_ in _LAUNCHERS)


@dataclass(frozen=True, slots=True)
class Answer:
    """A process's answer to rank 0.

    Attributes:
        rank: Rank of the process.
        node: Name of the node on which the process runs.
        tests: Whether the process tested its node; otherwise another process on the node did.
        found: Findings about the node, or files that old runs left there, as JSON data.
        size: Size of MPI_COMM_WORLD according to MPI; 0 if MPI did not start.
        failure: Why MPI did not start; empty if it did.
        sees: Purpose of a folder → whether this process shares it with rank 0.
    """

    rank: int
    node: str
    tests: bool
    found: Sequence[dict[str, Any]] = ()
    size: int = 0
    failure: str = ""
    sees: dict[str, bool] = field(default_factory=dict)


class Meeting:
    """Shared folders through which the processes of a job find each other and exchange answers.

    Args:
        task: This process.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.places = _places()
        self._folders = {name: place / f"{EXCHANGE}{task.job}" for name, place in self.places.items()}
        self._since = time.monotonic()
        for folder in self._folders.values():
            # Writing a file also makes a network file system refresh its view of the folder.
            with suppress(OSError):
                folder.mkdir(exist_ok=True)
                (folder / f"task-{task.rank}").touch()

    def brought_together(self, answer: Answer, world: World, count: Count) -> list[Answer] | None:
        """Send this process's answer to rank 0, and return all answers on rank 0.

        Args:
            answer: The answer of this process.
            world: The MPI program that the processes form, if any.
            count: Progress callback, called with the number of other processes that have answered, and their total.

        Returns:
            All answers on rank 0; an empty list on other processes, or None if the answer cannot reach rank 0.
        """
        first = self._task.rank == 0
        if first:
            answer = replace(answer, sees=dict.fromkeys(self.places, True))
        elif answer.tests:
            answer = replace(answer, sees=self._sees_first(_LOOK if world.size == self._task.size else _JOIN))
        texts = world.brought_together(json.dumps(asdict(answer))) if world.size == self._task.size else None
        if texts is not None:
            answers = [Answer(**json.loads(text)) for text in texts]
        else:
            answers = [answer, *self._answers(count)] if first else []
        heard = first or texts is not None or self._leaves(answer)
        if first or (answer.tests and not any(answer.sees.values())):  # rank 0 removes shared folders
            for folder in self._folders.values():
                shutil.rmtree(folder, ignore_errors=True)
        return answers if heard else None

    def _sees_first(self, patience: float = _JOIN) -> dict[str, bool]:
        """Map each folder's purpose to whether rank 0 sees it; wait up to ``patience`` seconds until it sees one."""
        while True:
            seen = {name: 0 in _present_in(folder) for name, folder in self._folders.items()}
            if any(seen.values()) or time.monotonic() > self._since + patience:
                return seen
            time.sleep(_PAUSE)

    def _leaves(self, answer: Answer) -> bool:
        """Write an answer to the folders shared with rank 0; return whether there is such a folder."""
        document = json.dumps(asdict(answer)).encode()
        sees = answer.sees or self._sees_first()
        for name in [name for name, seen in sees.items() if seen]:
            with suppress(OSError, InputError), replacing(self._folders[name] / f"answer-{answer.rank}") as stream:
                stream.write(document)
        return any(sees.values())

    def _answers(self, count: Count) -> list[Answer]:
        """Return the answers that other processes write to shared folders within the time limits."""
        expected = range(1, self._task.size)
        answers: dict[int, Answer] = {}
        while True:
            for folder in self._folders.values():
                answers |= {rank: found for rank in expected if rank not in answers and (found := _read(folder, rank))}
            count(len(answers), len(expected))
            passed = time.monotonic() - self._since
            present = {rank for folder in self._folders.values() for rank in _present_in(folder)}
            awaited = [rank for rank in expected if rank not in answers and (rank in present or passed < _JOIN)]
            if not awaited or passed > _ANSWER:
                return [answers[rank] for rank in sorted(answers)]
            time.sleep(_PAUSE)


def home_folder() -> Path:
    """Return the user's home folder; a path that does not exist if the user ID has no account."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


def _places() -> dict[str, Path]:
    """Map purposes to the existing folders that nodes may share; create the cache if it is missing."""
    home, cache = home_folder(), Path(cache_name())
    if home.is_dir() or not cache.is_relative_to(home):
        with suppress(OSError):
            cache.mkdir(parents=True, exist_ok=True)
    places = {"working directory": Path.cwd(), "cache": cache, "home": home}
    return {name: place for name, place in places.items() if place.is_dir()}


def _present_in(folder: Path) -> set[int]:
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)  # noqa: PTH208
    return {int(found[1]) for found in map(_MARK.fullmatch, names) if found}


def _read(folder: Path, rank: int) -> Answer | None:
    try:
        return Answer(**json.loads((folder / f"answer-{rank}").read_text()))
    except (OSError, ValueError, TypeError):
        return None
