"""Recognise the vendor of a Fortran compiler, and list the compiler's options that instrumented builds need."""

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
    """The properties of a vendor's Fortran compiler.

    Attributes:
        maker: The vendor.
        version: Text that only this compiler prints for ``--version``.
        modules: The option for the folder of modules.
        preprocess: Options, besides ``-E``, to write the preprocessed source to standard output; empty if impossible.
        check: Options to write modules and messages, but no object; empty if none is known.
        quiet: Options to suppress warnings; empty if none is known.
        free_line: Number of significant characters per line in free form; 0 for all.
        renames: The option to rename a file in debug information; empty if there is none.
        reads_assembly: Whether the compiler can add assembly to the object of a source.
        rewraps: Whether the compiler's preprocessor changes the lines of a source.
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
"""The properties of an unknown vendor's compiler, which compiles sources without probes."""
_KNOWN: Final = (GNU, LLVM, INTEL, NVIDIA, CRAY)


def fortran_compiler(command: list[str]) -> FortranCompiler:
    """Return the properties of the compiler in a command, recognised by its version text, which is cached."""
    store = open_store()
    key = digest("fortran compiler", *command, *program_states(command), *compiler_environment())
    known = store.get(key)
    said = _said(command) if known is None else os.fsdecode(known)
    if known is None and said:
        store.put(key, os.fsencode(said))
    return next((compiler for compiler in _KNOWN if compiler.version.search(said)), OTHER)


def _said(command: list[str]) -> str:
    """Return a compiler's version text, or an empty string if it cannot be started."""
    import subprocess  # noqa: PLC0415 - a compiler is queried only once

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
