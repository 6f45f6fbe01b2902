"""Find out whether a launcher's processes form one MPI program, and let them communicate if they do.

Each process runs this module in a child process, because MPI ends the process if it fails. The child joins the
launcher's job, starts MPI, prints the number of processes, waits for a line of input, and sends it to rank 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Timer
from time import sleep
from typing import IO, Any, Final

from ..errors import InputError
from ..own_modules import own_module_words
from ..runtime.mpi.own_job import mpich_environment
from .bench import on_this_machine, reason_of
from .families import Family

__all__ = ["World", "world_of"]

_PATIENCE: Final = 60.0  # seconds within which all processes must reach MPI_Init
_LONGEST: Final = 400.0  # seconds within which the last process must have examined its node
_PAUSE: Final = 0.05


@dataclass(slots=True)
class World:
    """The MPI program that the processes of a job form.

    Attributes:
        size: Size of MPI_COMM_WORLD; 0 if MPI does not start.
        nodes: Names of the nodes.
        library: The MPI library's description of itself.
        failure: Why MPI does not start, in one line; empty if it does.
    """

    size: int = 0
    nodes: tuple[str, ...] = ()
    library: str = ""
    failure: str = ""
    _process: subprocess.Popen[str] | None = None

    def brought_together(self, text: str) -> list[str] | None:
        """Send a text to rank 0.

        Returns:
            On rank 0, the texts of all processes; on other ranks, an empty list; None on failure.
        """
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            return None
        with _ended_after(self._process, on_this_machine(_LONGEST)):
            try:
                self._process.stdin.write(f"{json.dumps(text)}\n")
                self._process.stdin.close()
                found: list[str] = json.loads(self._process.stdout.readline())
            except (OSError, ValueError):
                return None
        return found


@contextmanager
def world_of(family: Family | None) -> Iterator[World]:
    """Start MPI in a child process, and yield the MPI program that it joins; the child ends after the block.

    Args:
        family: The MPI library for mpi4py to load.
    """
    if family is None:
        yield World(failure="no MPI compiler on PATH")
        return
    mpich = family.library.path if family.library and not family.library.is_open_mpi else None
    try:
        environment = mpich_environment(mpich, os.environ) if mpich else None
    except InputError as error:
        yield World(failure=str(error))
        return
    with TemporaryFile("w+", errors="replace") as errors:
        # The child must inherit the descriptors that the launcher opened for MPI.
        process = subprocess.Popen(
            own_module_words(__name__),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            close_fds=False,
        )
        try:
            yield _begun(process, errors)
        finally:
            with suppress(OSError):
                if process.stdin:
                    process.stdin.close()
            with _ended_after(process, on_this_machine(_PATIENCE)):
                process.wait()


def _begun(process: subprocess.Popen[str], errors: IO[str]) -> World:
    assert process.stdout
    patience = on_this_machine(_PATIENCE)
    with _ended_after(process, patience) as late:
        line = process.stdout.readline()
    try:
        told: dict[str, Any] = json.loads(line)
        return World(told["size"], tuple(told["nodes"]), told["library"], _process=process)
    except ValueError:
        if late:
            return World(failure=f"MPI_Init did not return within {patience:.0f} s")
        status = process.wait()
        errors.seek(0)
        return World(failure=reason_of(errors.read()) or f"exit status {status}")


@contextmanager
def _ended_after(process: subprocess.Popen[str], seconds: float) -> Iterator[list[bool]]:
    """Kill a process if the block takes longer than ``seconds``; the yielded list is empty unless this happened."""
    late: list[bool] = []

    def end() -> None:
        late.append(True)
        process.kill()

    timer = Timer(seconds, end)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _be_one() -> None:
    from mpi4py import MPI  # noqa: PLC0415 - starts MPI

    world = MPI.COMM_WORLD
    nodes = sorted(set(world.allgather(os.uname().nodename)))
    _print({"size": world.Get_size(), "nodes": nodes, "library": MPI.Get_library_version()})
    text = sys.stdin.readline()  # a failed process sends nothing, and the other processes continue
    if world.Get_size() > 1:
        # A blocking call would spin, and disturb tests that are still running on this node.
        request = world.Ibarrier()
        while not request.Test():
            sleep(_PAUSE)
        _print([json.loads(each) for each in world.gather(text) or [] if each])


def _print(document: Any) -> None:
    sys.stdout.write(f"{json.dumps(document)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _be_one()
