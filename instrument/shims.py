"""Compilers' own names that lead to the wrappers, for builds that call them without asking."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ..files import replacing

__all__ = ["build_environment"]

# What stands in for a compiler: the wrapper, the variable that tells it the real one, and the names of builds for both.
_WRAPPERS: Final = (
    ("aa-mpicc", "AUTOANALYZER_CC", re.compile(r"mpicc(\.\w+)?"), ("CC", "MPICC")),
    ("aa-mpicxx", "AUTOANALYZER_CXX", re.compile(r"mpi(cxx|c\+\+|CC)(\.\w+)?"), ("CXX", "MPICXX")),
    ("aa-mpifort", "AUTOANALYZER_FC", re.compile(r"mpi(fort|f90|f77)(\.\w+)?"), ("FC", "F77", "F90", "MPIFC")),
)
_DEFAULTS: Final = {"AUTOANALYZER_CC": "mpicc", "AUTOANALYZER_CXX": "mpicxx", "AUTOANALYZER_FC": "mpifort"}


def build_environment(folder: Path, scripts: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Give an environment in which a build calls the wrappers.

    ``CC``, ``CXX``, ``FC`` and their like name them; a compiler that they name already is the one that the wrapper
    calls. The names of MPI compilers on ``PATH`` lead to scripts that call the wrappers. GNU make builds all anew.

    Args:
        folder: Where the scripts are kept; builds may remember them (CMake does), so that they must stay.
        scripts: Where the wrappers are.
        environment: What it is made from.

    Raises:
        InputError: The folder cannot be written.
    """
    changed = dict(environment)
    paths = [each for each in environment.get("PATH", "").split(os.pathsep) if each and Path(each) != folder]
    for wrapper, real, names, variables in _WRAPPERS:
        chosen = environment.get(variables[0], "")
        own = "" if Path((shlex.split(chosen) or [""])[0]).name.startswith("aa-") else chosen
        compiler = shutil.which(_DEFAULTS[real], path=os.pathsep.join(paths))
        if own or compiler:
            changed.setdefault(real, own or str(compiler))
        changed |= dict.fromkeys(variables, str(scripts / wrapper))
        for path in _compilers(paths, names):
            _write(folder / path.name, scripts / wrapper, real, path)
    changed["PATH"] = os.pathsep.join([str(folder), *paths])
    changed["MAKEFLAGS"] = f"-B {environment.get('MAKEFLAGS', '')}".strip()
    return changed


def _compilers(paths: list[str], names: re.Pattern[str]) -> Iterator[Path]:
    """Give the first file of each name on the path."""
    found: set[str] = set()
    for folder in paths:
        try:
            listed = sorted(Path(folder).iterdir())
        except OSError:
            continue
        for file in listed:
            if names.fullmatch(file.name) and file.name not in found and os.access(file, os.X_OK):
                found.add(file.name)
                yield file


def _write(script: Path, wrapper: Path, variable: str, compiler: Path) -> None:
    script.parent.mkdir(parents=True, exist_ok=True)
    text = f'#!/bin/sh\n{variable}={shlex.quote(str(compiler))} exec {shlex.quote(str(wrapper))} "$@"\n'
    with replacing(script) as stream:
        stream.write(text.encode())
    script.chmod(0o755)
