"""The job on the program's own nodes that brings shards home, started by the program's own launcher.

``mpirun -n 8 python -m autoanalyzer.runtime.gather SHARDS HOME`` runs where the program ran. Where a node has gone
meanwhile, as Slurm is asked, a process is started on each of those that are left.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Timer
from typing import Final
from uuid import uuid4

from ...errors import InputError
from ..command import launcher_words
from ..failure_reason import failure_reason
from ..folder import RunFolder
from ..mpi.detection import find_mpi
from .bring_home import HOME_FILE, unpacked

__all__ = ["loading", "run_mpi_job"]

_TIMEOUT: Final = 600  # seconds without which a launcher that waits for nodes would hold the user up for ever
_NODES: Final = "SLURM_JOB_NODELIST"
_COUNT: Final = "SLURM_JOB_NUM_NODES"
_LEFT: Final = "idle,allocated,mixed,completing"  # states of nodes that answer


def run_mpi_job(folder: RunFolder, command: Sequence[str]) -> str:
    """Bring the shards of all nodes into the run's folder, by a job on the nodes of the program's.

    Args:
        folder: Of the run.
        command: What launched the program.

    Returns:
        Empty if it is done; else what went wrong.
    """
    mpi = find_mpi(command)
    words = launcher_words(command, mpi.launcher)
    if words is None:
        return "the program's place in the command was not found"
    folder.join()
    mark = folder.shards / HOME_FILE
    home = uuid4().hex
    module = [sys.executable, "-W", "ignore", "-m", str(__package__), str(folder.shards.resolve()), home]
    if mpi.library is not None and not mpi.library.is_open_mpi:
        module.append(str(mpi.library.path))
    try:
        mark.write_text(home)
        failure = _run([*(_on_nodes_left(words) or words), *module], os.environ, folder.shards)
    except (OSError, InputError) as error:
        return str(error)
    finally:
        with suppress(OSError):
            mark.unlink(missing_ok=True)
    return failure


def loading(mpich: Path, links: str) -> dict[str, str]:
    """Give this process's environment with what makes mpi4py load a library of MPICH's kind.

    Args:
        mpich: The library.
        links: An empty folder of this node, which must be there as long as mpi4py loads.
    """
    # mpi4py asks for MPICH's ABI name, which Debian's library does not bear.
    Path(links, "libmpi.so.12").symlink_to(mpich)
    paths = [links, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(paths), "MPI4PY_MPIABI": "mpich"}


def _run(job: Sequence[str], environment: Mapping[str, str], shards: Path) -> str:
    """Run a job, and take what it prints; say what went wrong."""
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                job, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
        except OSError as error:
            return f"{job[0]} cannot be started: {error.strerror}"
        late = Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = Timer(_TIMEOUT, end)
        timer.start()
        with process:
            assert process.stdout is not None
            try:
                unpacked(iter(process.stdout), shards)
            finally:
                timer.cancel()
                if process.poll() is None:
                    process.stdout.read()
        if late.is_set():
            return f"it did not end within {_TIMEOUT} s"
        if process.returncode:
            errors.seek(0)
            return failure_reason(errors.read().decode(errors="replace")) or f"exit status {process.returncode}"
    return ""


def _on_nodes_left(words: Sequence[str]) -> list[str]:
    """Give what starts a process on each node that answers, if not all of the allocation do: srun would wait."""
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
