"""Collect shards from nodes that do not share the run's folder; all processes of the gathering job take part.

A node's shards are in a local folder with the name of the run's folder, or in a folder that ``node_folder`` names. If
several processes see the same folder, the first one reads it. All processes send the shards that are not in the run's
folder, in pieces, to one process: the first that sees the run's own folder, which is identified by a file with a random
number. If no process sees this folder, process 0 receives the shards and writes them to standard output, which the
launcher forwards.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from ...atomic_file import fsync, replacing
from ...errors import InputError
from ..folder import MARKS
from ..node_folder import node_folders
from .folder_shards import Told
from .job_shards import is_home, place_of
from .shard_header import used_bytes

__all__ = ["GATHERED", "READ", "bring_home", "say_at_work", "unpacked"]

GATHERED: Final = b"autoanalyzer-gathered "
READ: Final = b"autoanalyzer-read "
_AT_WORK: Final = b"autoanalyzer-at-work\n"

_PIECE: Final = 3 << 18  # bytes; in base64, a piece is a line of 1 MiB
_BEGIN: Final = b"autoanalyzer-shard "
_END: Final = b"autoanalyzer-end "


def bring_home(communicator: Any, shards: Path, home: str) -> None:
    """Move the shards of all nodes to the run's folder; collective.

    Args:
        communicator: A communicator of mpi4py, of any size.
        shards: The run's folder of shards, by its name on the launcher's node.
        home: The content of the file that identifies that folder.
    """
    rank = communicator.Get_rank()
    mine = [folder for folder in (shards, *node_folders(shards)) if folder.is_dir()]
    places = communicator.allgather([place_of(folder) for folder in mine])
    first = {place: number for number, listed in reversed([*enumerate(places)]) for place in listed}
    watched = [folder for folder in mine if first[place_of(folder)] == rank]
    at_home: list[bool] = communicator.allgather(is_home(shards, home))
    root = at_home.index(True) if any(at_home) else 0
    names = communicator.allgather([file.name for folder in watched for file in sorted(folder.glob("*.shard"))])
    here = {file.name for file in shards.glob("*.shard")} if rank == root and at_home[root] else set()
    here = communicator.bcast(here, root=root)
    files = {file.name: file for folder in watched for file in folder.glob("*.shard") if file.name not in here}
    write = _write_to(shards) if at_home[root] else _print_to(sys.stdout.buffer)
    for sender, listed in enumerate(names):
        for name in listed:
            if name not in here:
                _carry(communicator, (sender, root), name, files.get(name), write)
    if rank == root and at_home[root]:
        fsync(shards / name for listed in names for name in listed if name not in here)
    communicator.Barrier()
    for file in files.values():
        file.unlink(missing_ok=True)
    for folder in watched:
        if not is_home(folder, home):
            _leave(folder)


def say_at_work() -> None:
    """Print a sign of progress for the launcher's node, which ends a job that prints nothing for a long time."""
    sys.stdout.buffer.write(_AT_WORK)
    sys.stdout.buffer.flush()


def _leave(folder: Path) -> None:
    """Remove a folder that contains no more shards, and its parent folder if that is then empty."""
    with suppress(OSError):
        for mark in folder.glob(MARKS):
            mark.unlink(missing_ok=True)
        folder.rmdir()
        folder.parent.rmdir()


_Write = Callable[[str, Iterator[bytes]], None]


def _carry(communicator: Any, ways: tuple[int, int], name: str, file: Path | None, write: _Write) -> None:
    """Send a file from one process to another, or copy it within one process; each piece is acknowledged.

    Args:
        communicator: The processes.
        ways: The sender and the receiver.
        name: The file's name at the receiver.
        file: The file on the sender; None on other processes.
        write: Writes the file on the receiver.
    """
    rank = communicator.Get_rank()
    sender, root = ways
    if rank == root:
        write(name, _read(file) if sender == root and file else _received(communicator, sender))
    elif rank == sender and file:
        for piece in _read(file):
            communicator.ssend(piece, dest=root)
        communicator.ssend(b"", dest=root)


def _read(file: Path) -> Iterator[bytes]:
    """Yield the used part of a shard, piece by piece; the rest of the file is large and empty."""
    with file.open("rb") as stream:
        left = used_bytes(stream.fileno())
        while left > 0 and (piece := stream.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece


def _received(communicator: Any, sender: int) -> Iterator[bytes]:
    while piece := communicator.recv(source=sender):
        yield piece


def _write_to(shards: Path) -> _Write:
    def write(name: str, pieces: Iterator[bytes]) -> None:
        with replacing(shards / name) as stream:
            for piece in pieces:
                stream.write(piece)
        say_at_work()

    return write


def _print_to(stream: BinaryIO) -> _Write:
    def write(name: str, pieces: Iterator[bytes]) -> None:
        stream.write(_BEGIN + name.encode() + b"\n")
        for piece in pieces:
            stream.write(base64.b64encode(piece) + b"\n")
        stream.write(_END + name.encode() + b"\n")
        stream.flush()

    return write


def unpacked(lines: Iterator[bytes], shards: Path, told: Told | None = None) -> dict[str, bool] | None:
    """Write the shards that a job printed, ignoring all other lines.

    Args:
        lines: The job's output.
        shards: The folder to write to. A shard that does not arrive completely is not written.
        told: Progress callback; receives the number of shards read, and their total.

    Returns:
        The job's closing report if it has merged all shards; None if it has not.

    Raises:
        InputError: A shard cannot be written, or is damaged.
    """
    found: dict[str, bool] | None = None
    for line in lines:
        if line.startswith(GATHERED):
            found = json.loads(line.removeprefix(GATHERED))
        elif line.startswith(READ) and told:
            told(*map(int, line.removeprefix(READ).split()))
        elif line.startswith(_BEGIN):
            _unpack(line.removeprefix(_BEGIN).strip().decode(), lines, shards)
    return found


def _unpack(name: str, lines: Iterator[bytes], shards: Path) -> None:
    if Path(name).name != name:
        raise InputError(f"expected the name of a shard, found {name!r}")
    with replacing(shards / name) as stream:
        for piece in lines:
            if piece.startswith(_END):
                break
            try:
                stream.write(base64.b64decode(piece, validate=False))
            except ValueError:
                raise InputError(f"{name}: expected a shard, found a damaged line") from None
        else:
            raise InputError(f"{name}: expected a complete shard, found only a part")
