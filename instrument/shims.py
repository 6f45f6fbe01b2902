"""Write scripts with compilers' names that call the wrappers, for builds that ignore ``CC`` and similar variables."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ..atomic_file import replacing
from ..digests import digest
from .compiler import COMPILERS, command_words
from .expression import expression

__all__ = ["build_environment"]

# For each language: the wrapper, the variable with the real compiler, and the names that builds use for compilers.
_WRAPPERS: Final = (
    ("aa-mpicc", "AUTOANALYZER_CC", expression(r"mpicc(\.\w+)?|mpiic[cx]"), ("CC", "MPICC")),
    ("aa-mpicxx", "AUTOANALYZER_CXX", expression(r"mpi(cxx|c\+\+|CC)(\.\w+)?|mpiicp[cx]"), ("CXX", "MPICXX")),
    (
        "aa-mpifort",
        "AUTOANALYZER_FC",
        expression(r"mpi(fort|f90|f77)(\.\w+)?|mpii(fort|fx)|ftn"),
        ("FC", "F77", "F90", "MPIFC"),
    ),
)


def build_environment(folder: Path, wrappers: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment in which a build calls the wrappers.

    ``CC``, ``CXX``, ``FC`` and similar variables name the wrappers, which call the compilers that the variables named
    before. On ``PATH``, the names of these compilers and of MPI compilers lead to scripts that call the wrappers.

    Args:
        folder: Folder for the scripts, with a subfolder per choice of compilers. The scripts must not change, because
            builds such as CMake's remember their paths.
        wrappers: The folder of the wrappers.
        environment: The environment to start from.

    Raises:
        UsageError: ``CC``, ``CXX`` or ``FC`` is not a command.
        InputError: The folder cannot be written.
    """
    changed = dict(environment)
    paths = [
        each for each in environment.get("PATH", "").split(os.pathsep) if each and folder not in Path(each).parents
    ]
    scripts: dict[str, str] = {}
    for wrapper, real, names, variables in _WRAPPERS:
        words = command_words(variables[0], environment.get(variables[0], ""))
        if words and not Path(words[0]).name.startswith("aa-"):
            changed.setdefault(real, environment[variables[0]])
        elif compiler := shutil.which(COMPILERS[real], path=os.pathsep.join(paths)):
            changed.setdefault(real, shlex.quote(compiler))
        called = shlex.quote(str(wrappers / wrapper))
        scripts[wrapper] = f'#!/bin/sh\nexec {called} "$@"\n'
        for path in _compilers(paths, names):
            scripts[path.name] = f'#!/bin/sh\n{real}={shlex.quote(shlex.quote(str(path)))} exec {called} "$@"\n'
        # Makefiles call $(CC) without quotes, so a path that needs quotes is replaced by the name of a script.
        changed |= dict.fromkeys(variables, wrapper if called != str(wrappers / wrapper) else called)
    folder /= digest(*(each for item in sorted(scripts.items()) for each in item))
    for name, text in scripts.items():
        _write(folder / name, text)
    changed["PATH"] = os.pathsep.join([str(folder), *paths])
    return changed


def _compilers(paths: list[str], names: re.Pattern[str]) -> Iterator[Path]:
    """Yield the first file with each name that matches, in the folders of ``PATH``."""
    found: set[str] = set()
    for folder in paths:
        try:
            listed = sorted(Path(folder).absolute().iterdir())
        except OSError:
            continue
        for file in listed:
            if names.fullmatch(file.name) and file.name not in found and os.access(file, os.X_OK):
                found.add(file.name)
                yield file


def _write(script: Path, text: str) -> None:
    """Write a script unless it exists; other processes see it only when it is complete."""
    if script.exists():
        return
    script.parent.mkdir(parents=True, exist_ok=True)
    with replacing(script) as stream:
        stream.write(text.encode("utf-8", "surrogateescape"))
        os.fchmod(stream.fileno(), 0o755)
