"""Fortran compilers by their makers: how each is known, and what it calls the options that a build of ours needs."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from ..compiler_records import without_records
from ..digests import digest
from .expression import expression
from .store import open_store
from .tool_fingerprint import compiler_environment, program_states

__all__ = ["CRAY", "GNU", "INTEL", "LLVM", "NVIDIA", "OTHER", "FortranCompiler", "fortran_compiler"]

_VERSION: Final = "--version"


class FortranCompiler(NamedTuple):
    """What the Fortran compiler of a maker is like.

    Attributes:
        maker: Who makes it.
        version: What it alone says to ``--version``.
        modules: The option before the folder into which modules go.
        preprocess: What makes it write the preprocessed source to standard output, besides ``-E``; empty if it cannot.
        check: What makes it write modules and messages, but no object; empty if nothing is known to.
        quiet: What makes it say nothing of warnings; empty if nothing is known to.
        free_line: Characters of a line in free form that count; 0 for all.
        renames: The option by which debug information names a file by another's name; empty if there is none.
        reads_assembly: Whether assembly goes into the object of a source.
        rewraps: Whether its preprocessor puts the lines of a source together anew.
    """

    maker: str
    version: re.Pattern[str]
    modules: str
    preprocess: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    free_line: int = 0
    renames: str = ""
    reads_assembly: bool = False
    rewraps: bool = False


GNU: Final = FortranCompiler(
    "GNU",
    expression(r"Free Software Foundation"),
    "-J",
    preprocess=("-cpp",),
    check=("-fsyntax-only",),
    quiet=("-w",),
    free_line=132,
    renames="-fdebug-prefix-map",
    reads_assembly=True,
)
LLVM: Final = FortranCompiler(
    "LLVM",
    expression(r"^(?:.* )?flang(?:-new)? version", re.M),
    "-module-dir",
    preprocess=("-cpp",),
    check=("-fsyntax-only",),
    rewraps=True,
)
INTEL: Final = FortranCompiler(
    "Intel", expression(r"^if(?:x|ort) \(IF(?:X|ORT)\)", re.M), "-module", preprocess=("-fpp",), quiet=("-w",)
)
NVIDIA: Final = FortranCompiler(
    "NVIDIA", expression(r"^nvfortran ", re.M), "-module", preprocess=("-Mpreprocess",), quiet=("-w",)
)
CRAY: Final = FortranCompiler("Cray", expression(r"^Cray Fortran : Version", re.M), "-J")
OTHER: Final = FortranCompiler("", expression(r"^"), "-J")
"""Of a maker that is not known: its sources are compiled as they are."""
_KNOWN: Final = (GNU, LLVM, INTEL, NVIDIA, CRAY)


def fortran_compiler(command: list[str]) -> FortranCompiler:
    """Tell who has made the compiler that a command calls, by its own words, which it is asked for once."""
    store = open_store()
    key = digest("fortran compiler", *command, *program_states(command), *compiler_environment())
    known = store.get(key)
    said = _said(command) if known is None else os.fsdecode(known)
    if known is None and said:
        store.put(key, os.fsencode(said))
    return next((compiler for compiler in _KNOWN if compiler.version.search(said)), OTHER)


def _said(command: list[str]) -> str:
    """Give what a compiler says of its version; empty if it cannot be started."""
    import subprocess  # noqa: PLC0415 - a compiler is asked once

    try:
        done = subprocess.run(
            [*command, _VERSION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**without_records(), "LC_ALL": "C"},
            check=False,
        )
    except OSError:
        return ""
    return os.fsdecode(done.stdout)
