"""The fast path of compiler stand-ins such as ``aa-mpicc``: repeat a cached compilation without loading a parser."""

from __future__ import annotations

import os
import sys

from ..atomic_file import replacing
from ..cache_place import cache_name
from ..errors import InputError
from ..instrument.known_compile import answered
from ..own_modules import needs_python_home, own_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["STAND_INS", "answer", "note_way"]

STAND_INS: Final = {
    "aa-mpicc": ("AUTOANALYZER_CC", "mpicc"),
    "aa-mpicxx": ("AUTOANALYZER_CXX", "mpicxx"),
    "aa-mpifort": ("AUTOANALYZER_FC", "mpifort"),
}
"""Stand-in → the environment variable that names the real compiler, and the default compiler."""
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=- ")


def answer() -> None:
    """Repeat a cached compilation and exit; if the cache does not contain it, prepare ``sys.path`` and return.

    ``sys.argv`` contains the file with the import paths, the stand-in's path, and the arguments of the stand-in.
    """
    _, way, stand_in, *words = sys.argv
    variable, usual = STAND_INS.get(os.path.basename(stand_in), ("", ""))
    compiler = os.environ.get(variable, usual)
    if compiler and _PLAIN.issuperset(compiler) and answered([*compiler.split(), *words]):
        os._exit(0)  # all outputs are written
    program, folders = os.path.join(os.path.dirname(os.path.realpath(stand_in)), "aa-compiler"), [""]
    try:
        with open(way, errors="surrogateescape") as stream:
            program, *folders = stream.read().split("\n")[2:]
        if not all(map(os.path.isdir, folders)):
            os.unlink(way)
    except OSError:
        pass  # another process has removed the file
    if not all(map(os.path.isdir, folders)):  # the package was moved or removed
        os.execv(program, [program, stand_in, *words])
    sys.path += folders
    sys.argv[:2] = [program]


def note_way(program: str) -> None:
    """Write the interpreter and its import paths to the cache, so that stand-ins can start Python without ``site``.

    This only saves time, so errors are ignored.
    """
    folder = os.path.dirname(program)
    lines = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "start.py")]
    lines += [program, *(each for each in own_folders() if os.path.isdir(each))]
    if sys.flags.no_site or needs_python_home() or not os.path.isabs(folder) or any("\n" in line for line in lines):
        return
    text = os.fsencode("\n".join(lines))
    path = f"{cache_name()}/start{folder}/way"
    try:
        with open(path, "rb") as stream:
            if stream.read() == text:
                return
    except OSError:
        pass
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with replacing(path) as stream:
            stream.write(text)
    except (OSError, InputError):
        return
