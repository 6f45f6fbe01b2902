"""Check Python, this package and its dependencies, its commands, and its environment variables."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from .. import __version__
from ..errors import InputError
from ..instrument.c_family.reader import c_reader, why_no_libclang
from .finding import Finding, Outcome

__all__ = ["installation_findings"]

_AREA: Final = "installation"

_COMMANDS: Final = ("autoanalyzer", "aa-mpicc", "aa-mpicxx", "aa-mpifort")
_OURS: Final = "AUTOANALYZER"
_NEEDED: Final = re.compile(r"([\w.-]+)\s*(>=\s*([\d.]+))?")


def installation_findings() -> Iterator[Finding]:
    """Yield findings about the installation."""
    place = Path(__file__).parents[1]
    python = ".".join(map(str, sys.version_info[:3]))
    found = f"{__version__} in {place}, Python {python} at {sys.executable}"
    yield Finding(_AREA, "autoanalyzer", Outcome.WORKS, found)
    yield _packages()
    yield _reader()
    yield _commands()
    chosen = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(_OURS))
    if os.environ.get(_OURS) == "off":
        advice = f"unset {_OURS}, because the value off disables instrumentation"
        yield Finding(_AREA, "variables", Outcome.FAILS, " ".join(chosen), advice)
    elif chosen:
        yield Finding(_AREA, "variables", Outcome.NOTE, " ".join(chosen))


def _packages() -> Finding:
    lacking, present = [], []
    for text in requires("autoanalyzer") or []:
        needed = _NEEDED.match(text)
        if needed is None or "extra ==" in text:
            continue
        try:
            found = version(needed[1])
        except PackageNotFoundError:
            if ";" not in text:  # after a semicolon, a condition limits the requirement to some systems
                lacking.append(f"{needed[1]}: not installed")
            continue
        present.append(f"{needed[1]} {found}")
        if needed[3] and _numbers(found) < _numbers(needed[3]):
            lacking.append(f"{needed[1]}: expected {needed[3]} or later, found {found}")
    if lacking:
        advice = f"{sys.executable} -m pip install --upgrade autoanalyzer"
        return Finding(_AREA, "packages", Outcome.FAILS, "; ".join(lacking), advice)
    return Finding(_AREA, "packages", Outcome.WORKS, ", ".join(present))


def _reader() -> Finding:
    """Return the finding about the parser that reads C sources; C++ needs libclang."""
    name = "reader of C"
    try:
        reader, problem = c_reader(), why_no_libclang()
    except InputError as error:
        return Finding(_AREA, name, Outcome.FAILS, str(error), "unset the variable")
    if not problem:
        return Finding(_AREA, name, Outcome.WORKS, reader)
    found = f"{reader}; C++ is compiled unchanged, because libclang cannot be loaded: {problem}"
    advice = "install LLVM's libclang.so, and set LIBCLANG_LIBRARY_PATH to its folder"
    return Finding(_AREA, name, Outcome.FAILS if reader == "libclang" else Outcome.NOTE, found, advice)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def _commands() -> Finding:
    scripts = sysconfig.get_path("scripts")
    missing = [name for name in _COMMANDS if shutil.which(name) is None]
    if not missing:
        return Finding(_AREA, "commands", Outcome.WORKS, f"{', '.join(_COMMANDS)} are on PATH")
    found = f"{', '.join(missing)} {'are' if len(missing) > 1 else 'is'} not on PATH"
    return Finding(_AREA, "commands", Outcome.FAILS, found, f"export PATH={scripts}:$PATH")
