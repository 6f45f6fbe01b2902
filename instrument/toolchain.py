"""What a compiler says of itself: where its own headers are, and which programs it consists of."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from .compiler import no_compiler
from .store import digest, open_store

__all__ = ["USUAL_DIRECTORIES", "Toolchain", "compiler_environment"]

USUAL_DIRECTORIES: Final = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_SEARCH_LIST: Final = "search starts here:"
_SEARCH_END: Final = "End of search list."
_DRIVER: Final = re.compile(r"^COLLECT_GCC=(.+)$", re.M)
# What compilers and their wrappers for MPI look at, besides the command.
_MEANINGFUL: Final = re.compile(
    r"PATH$|\w+_PATH$|CPATH$|LANG|LC_|SOURCE_DATE_EPOCH$"
    r"|(?:OMPI|OPAL|MPICH|MPI|I_MPI|CRAY|PE|GCC|GFORTRAN|CLANG|CCC|NVHPC|SPACK|SDKROOT)(?:_|$)"
)


class Toolchain:
    """Ask a compiler once, and remember the answer while its programs stay the same files.

    Args:
        compiler: The compiler's command.
        language: Which of its languages, as ``-x`` knows it.

    Attributes:
        directories: Its own header directories, each with a closing slash; the usual ones if it names none.
        identity: A digest that changes when the compiler is another one.

    Raises:
        UsageError: There is no such compiler.
    """

    def __init__(self, compiler: list[str], language: str) -> None:
        store = open_store()
        key = digest("toolchain", language, *compiler, *_files(compiler), *compiler_environment())
        known = store.get(key)
        answer = json.loads(known) if known else None
        if answer is None or answer["files"] != _files(answer["programs"]):
            answer = _ask(compiler, language)
            store.put(key, json.dumps(answer).encode())
        self.directories: tuple[str, ...] = tuple(answer["directories"]) or USUAL_DIRECTORIES
        self.identity = digest(key, *answer["files"], *answer["version"])


def compiler_environment() -> list[str]:
    """Give the variables that compilers look at, with their values."""
    return [f"{name}={value}" for name, value in sorted(os.environ.items()) if _MEANINGFUL.match(name)]


def _ask(compiler: list[str], language: str) -> dict[str, list[str]]:
    try:
        done = subprocess.run(
            [*compiler, "-E", "-v", "-x", language, os.devnull],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise no_compiler(compiler[0], error) from None
    text = os.fsdecode(done.stderr)
    listed = text.partition(_SEARCH_LIST)[2].partition(_SEARCH_END)[0].splitlines()
    programs = [*_DRIVER.findall(text), *_called(text)]
    return {
        "directories": sorted({line.strip().rstrip("/") + "/" for line in listed if line.startswith(" ")}),
        "programs": programs,
        "files": _files(programs),
        "version": [digest(text)],
    }


def _called(text: str) -> list[str]:
    """Pick the programs that a driver calls, one a line."""
    found = []
    for line in text.splitlines():
        if line.startswith((" /", ' "/')) and " -" in line:
            try:
                found += shlex.split(line)[:1]
            except ValueError:
                continue
    return found


def _files(programs: Iterable[str]) -> list[str]:
    """Tell programs from others by place, size and time; the words of a command that name none are left out."""
    found = []
    for program in programs:
        path = shutil.which(program)
        if path:
            status = Path(path).stat()
            found.append(f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}")
    return found
