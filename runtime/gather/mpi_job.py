"""Run a job that gathers shards on the program's own nodes, started by the program's own launcher.

``mpirun -n 8 python -m autoanalyzer.runtime.gather SHARDS HOME …`` runs where the program ran, with a few processes per
node if the program had many. If a node is no longer available, according to Slurm, one process is started on each
remaining node.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import Final
from uuid import uuid4

from ...errors import InputError
from ...own_modules import own_module_words
from ..command import launcher_words
from ..failure_reason import failure_reason
from ..folder import RunFolder
from ..mpi.detection import find_mpi
from .bring_home import unpacked
from .folder_shards import Told
from .job_shards import HOME_FILE

__all__ = ["JobEnd", "few_processes", "nodes_of", "processes_on_a_node", "run_mpi_job"]

_TIMEOUT: Final = 600  # seconds of silence after which the job is ended, because its launcher may wait forever
_ON_A_NODE: Final = 4  # processes per node; more would not read and write faster
_NODES: Final = "SLURM_JOB_NODELIST"
_COUNT: Final = "SLURM_JOB_NUM_NODES"
_LEFT: Final = "idle,allocated,mixed,completing"  # Slurm's states of nodes that respond


@dataclass(frozen=True)
class JobEnd:
    """How a job ended.

    Attributes:
        failure: The reason for a failure; empty if there was none.
        merged: Whether the job has written the experiment; if not, the shards are now in the run's folder.
        keep: Whether shards must be kept after a merge, because some could not be read or came late.
    """

    failure: str = ""
    merged: bool = False
    keep: bool = False


def run_mpi_job(
    folder: RunFolder, command: Sequence[str], *, merge: bool, few: bool, told: Told | None = None
) -> JobEnd:
    """Gather the shards of all nodes with a job on the program's nodes.

    Args:
        folder: The run's folder.
        command: The command that launched the program.
        merge: Whether the job may merge the shards of a large run; if not, the job only collects the shards.
        few: Whether all shards are on this disk, so that not every node has to be searched.
        told: Progress callback; receives the number of shards read, and their total.
    """
    mpi = find_mpi(command)
    words = launcher_words(command, mpi.launcher)
    if words is None:
        return JobEnd("the program was not found in the command")
    folder.join()
    mark = folder.shards / HOME_FILE
    home = uuid4().hex
    temporary = folder.path / f".{folder.large_experiment.name}.{home}"
    mpich = str(mpi.library.path) if mpi.library and not mpi.library.is_open_mpi else ""
    module = [*own_module_words(str(__package__)), mpich]
    module += [str(folder.shards.resolve()), home, *([temporary.name, str(folder.shards)] if merge else [])]
    launcher = _on_nodes_left(words) or (few_processes(words, mpi.launcher, folder.shard_files()) if few else words)
    try:
        mark.write_text(home)
        return _run([*launcher, *module], folder.shards, told)
    except (OSError, InputError) as error:
        return JobEnd(str(error))
    finally:
        with suppress(OSError):
            mark.unlink(missing_ok=True)
            temporary.unlink(missing_ok=True)


def _run(job: Sequence[str], shards: Path, told: Told | None) -> JobEnd:
    """Run a job, process its output, and return how it ended."""
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(job, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            return JobEnd(f"{job[0]} cannot be started: {error.strerror}")
        silence = _Silence(process)
        with process:
            assert process.stdout is not None
            try:
                found = unpacked(silence.broken_by(process.stdout), shards, told)
            except BaseException:
                process.terminate()
                raise
            finally:
                silence.end()
                if process.poll() is None:
                    process.stdout.read()
        if found is not None:  # the experiment is already written
            return JobEnd(merged=True, keep=found["keep"])
        if silence.too_long:
            return JobEnd(f"the job printed nothing for {_TIMEOUT} s")
        if process.returncode:
            errors.seek(0)
            said = failure_reason(errors.read().decode(errors="replace"))
            return JobEnd(said or f"exit status {process.returncode}")
    return JobEnd()


class _Silence:
    """Ends a job that prints nothing for a long time, because its launcher may wait for nodes that do not come back."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._last = time.monotonic()
        self._ended = Event()
        self.too_long = False
        Thread(target=self._watch, daemon=True).start()

    def broken_by(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the job's output lines; each line restarts the timer."""
        for line in lines:
            self._last = time.monotonic()
            yield line

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()

    def _watch(self) -> None:
        while (left := self._last + _TIMEOUT - time.monotonic()) > 0:
            if self._ended.wait(left):
                return
        self.too_long = True
        self._process.kill()


def nodes_of(shards: Sequence[Path]) -> int:
    """Return the number of nodes that have written shards; a shard's name begins with the node's name."""
    return len({file.name.rsplit(".", 3)[0] for file in shards})


def processes_on_a_node() -> int:
    """Return how many processes a job should start on a node like this machine."""
    return min(_ON_A_NODE, len(os.sched_getaffinity(0)))


def few_processes(words: Sequence[str], launcher: str, shards: Sequence[Path]) -> list[str]:
    """Return a command that starts only a few processes per node, enough to read shards that are all on one disk.

    Args:
        words: The words that started the program's ranks.
        launcher: The word in ``words`` that is the launcher.
        shards: The shards on this disk, whose names begin with the node's name.
    """
    nodes, each = nodes_of(shards), processes_on_a_node()
    count = str(nodes * each)
    if len(shards) <= nodes * each:
        return [*words]
    if Path(launcher).name == "srun":
        return [*words, "-N", str(nodes), "-n", count, f"--ntasks-per-node={each}"]
    places = [place for place, word in enumerate(words[:-1]) if word in {"-n", "-np", "--np"}]
    if len(places) != 1 or not words[places[0] + 1].isdigit() or int(words[places[0] + 1]) <= int(count):
        return [*words]
    return [*words[: places[0] + 1], count, *words[places[0] + 2 :]]


def _on_nodes_left(words: Sequence[str]) -> list[str]:
    """Return a command for one process per responding node if some nodes are down, because srun would wait for them."""
    if Path(words[0]).name != "srun" or _NODES not in os.environ:
        return []
    ask = ["sinfo", "-h", "-N", "-r", "-n", os.environ[_NODES], "-t", _LEFT, "-o", "%N"]
    with suppress(OSError):
        found = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
        nodes = [*dict.fromkeys(found)]
        plugins = [word for word in words[1:] if word.startswith("--mpi")]
        if 0 < len(nodes) < int(os.environ.get(_COUNT, "0")):
            count = str(len(nodes))
            return ["srun", *plugins, "-N", count, "-n", count, "--ntasks-per-node=1", "-w", ",".join(nodes)]
    return []
