"""Parse the user's launch command: find where the launcher's own words end and the program begins."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..errors import InputError

__all__ = ["find_program", "launcher_words"]

# Launcher options whose values could be mistaken for programs (`--map-by node` if node.js is installed), and how many
# values they have.
_VALUES: Final = {
    **dict.fromkeys(["n", "np", "c", "N", "ppn", "x", "H", "host", "hosts", "hostfile", "machinefile", "f"], 1),
    **dict.fromkeys(["map-by", "bind-to", "rank-by", "wdir", "wd", "path", "prefix", "envlist", "genvlist"], 1),
    **dict.fromkeys(["output-filename", "tag", "launcher", "rmk", "configfile", "app", "timeout"], 1),
    **dict.fromkeys(["mca", "gmca", "prtemca", "omca", "pmca", "env", "genv"], 2),
}


def find_program(command: Sequence[str], launcher: str) -> int | None:
    """Return the position of the first program in a command; None if a launcher reads it from a file.

    Args:
        command: For example ``mpirun -n 4 ./app input``.
        launcher: The word of the command that is the launcher; empty if the program is started directly.

    Raises:
        InputError: The command, or a program named by a path, does not exist.
    """
    _check_exists(command[0])
    if not launcher:
        return 0
    candidates = list(_words_of_programs(command, command.index(launcher) + 1))
    for place in candidates:
        if _is_executable(command[place]):
            return place
    for place in candidates:
        if "/" in command[place]:
            _check_exists(command[place])
    return None


def launcher_words(command: Sequence[str], launcher: str) -> list[str] | None:
    """Return the words before the first program, to start something else in the same way; None if unknown.

    Raises:
        InputError: As for ``find_program``.
    """
    place = find_program(command, launcher) if launcher else None
    return None if place is None else list(command[:place])


def _words_of_programs(command: Sequence[str], start: int) -> Iterator[int]:
    """Yield the positions of words that are neither options nor their values."""
    skip = 0
    for place in range(start, len(command)):
        word = command[place]
        if skip:
            skip -= 1
        elif word.startswith("-"):
            skip = _VALUES.get(word.lstrip("-"), 0)
        elif word != ":":
            yield place


def _is_executable(word: str) -> bool:
    return bool(shutil.which(word)) or (Path(word).is_file() and os.access(word, os.X_OK))


def _check_exists(word: str) -> None:
    if _is_executable(word):
        return
    if Path(word).is_dir():
        raise InputError(f"{word}: expected a program, found a folder")
    if Path(word).exists():
        raise InputError(f"{word}: expected a program, found a file that is not executable")
    raise InputError(f"{word}: no such program; build it first, or check the path")
