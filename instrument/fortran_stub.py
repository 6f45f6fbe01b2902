"""Build the stub that every instrumented Fortran object contains: assembly that is added to the compiler's output."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Final

from ..compiler_records import without_records
from ..digests import digest
from .compiler import CompilerCommand, Role, no_compiler
from .expression import expression
from .front_end import FORTRAN_STUB
from .store import open_store
from .toolchain import Toolchain

__all__ = ["FortranStub"]

_OPTIONS: Final = ("-O2", "-fPIC", "-g0", "-w")
_LTO: Final = ("-flto", "-fno-lto")
_COVERAGE: Final = frozenset(["--coverage", "-coverage", "-ftest-coverage", "-fprofile-arcs"])
_MACHINE: Final = ("-m", "-B", "--sysroot", "-fcf-protection")
_LOCAL_LABEL: Final = expression(r"(?<![\w.])\.L(?=\w)")
# Directives that are removed from the stub: an assembler input may have only one ``.file``, and ``.ident`` names the
# compiler of the source.
_NOT_TWICE: Final = expression(r"^\s*\.(?:file|ident)\b.*\n", re.M)
# Notes, such as for an executable stack, are removed, because the compiler's own assembly contains them.
_NOTE: Final = expression(r"^\s*\.section\s+\.note\..*\n(?:(?!\s*\.section\b).*\n)*", re.M)


class FortranStub:
    """The stub, which GNU's compiler builds in the background.

    Args:
        command: The user's command, which determines symbol names and machine code.
        folder: Folder for the assembly.
    """

    def __init__(self, command: CompilerCommand, folder: Path) -> None:
        options = command.of(Role.COMPILE, Role.BOTH)
        self._lto = [option for option in options if option.startswith(_LTO)][-1:] not in ([], ["-fno-lto"])
        # Link-time optimisation drops input of -Xassembler, so the link gets the stub as an object.
        self._is_object = self._lto and command.links
        self._path = folder / ("stub.o" if self._is_object else "stub.s")
        self._more = folder / "more.s"
        self._problem: str | None = None
        if "-S" in options:
            self._problem = "assembly output (-S) cannot contain the probes"
        elif not _COVERAGE.isdisjoint(options):
            self._problem = "coverage would count the probes as source lines"
        if self._problem:
            return
        machine = [argument.words for argument in command.arguments if argument.words[0].startswith(_MACHINE)]
        words = [*command.compiler, "-c" if self._is_object else "-S", *_OPTIONS, *chain.from_iterable(machine)]
        words += [f"-DAA_NAME(name)={_name(options)}", "-x", "c", str(FORTRAN_STUB)]
        self._store = open_store()
        compiler = Toolchain(command.compiler, "f95-cpp-input").identity
        self._key = digest("stub", compiler, FORTRAN_STUB.read_bytes(), *words)
        if known := self._store.get(self._key):
            self._path.write_bytes(known)
            self._problem = ""
            return
        try:
            self._call = subprocess.Popen(
                [*words, "-o", str(self._path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=without_records(),
            )
        except OSError as error:
            raise no_compiler(command.compiler[0], error) from None

    @property
    def words(self) -> list[str]:
        """The words that add the stub to a compiler command; valid only if ``problem`` returns an empty string."""
        if self._is_object:
            return [str(self._path)]
        more = ["-Xassembler", str(self._more)] if self._more.exists() else []
        return ["-Xassembler", str(self._path), *more, *(["-fno-lto"] if self._lto else [])]

    def add(self, lines: Iterable[str]) -> None:
        """Add lines to the assembler's input, in addition to the stub."""
        if text := "".join(f"{line}\n" for line in lines):
            self._more.write_text(text, "ascii")

    @property
    def remark(self) -> str:
        """A message about a difference from the user's command; empty if there is none."""
        return "compiled without -flto, which would drop the probes" if self._lto and not self._is_object else ""

    def problem(self) -> str:
        """Wait for the stub, and return why it could not be built, or an empty string if it was."""
        if self._problem is None:
            self._problem = self._finished()
        return self._problem

    def _finished(self) -> str:
        if self._call.wait():
            return "the compiler cannot build the probes"
        if not self._is_object:
            text = self._path.read_text("utf-8", "surrogateescape")
            self._path.write_text(_beside(text), "utf-8", "surrogateescape")
        self._store.put(self._key, self._path.read_bytes())
        return ""


def _name(options: list[str]) -> str:
    """Return how the compiler spells a procedure's symbol, as the body of the C macro ``AA_NAME(name)``.

    Among options that affect it, the last one counts.
    """
    underscoring = True
    f2c = False
    second = None
    for option in options:
        match option:
            case "-funderscoring" | "-fno-underscoring":
                underscoring = option == "-funderscoring"
            case "-ff2c" | "-fno-f2c":
                f2c = option == "-ff2c"
            case "-fsecond-underscore" | "-fno-second-underscore":
                second = option == "-fsecond-underscore"
    if not underscoring:
        return "name"
    return "name##__" if (f2c if second is None else second) else "name##_"


def _beside(text: str) -> str:
    """Return the stub's assembly without text that would clash with other assembly in the same call."""
    return _LOCAL_LABEL.sub(".Laa_", _NOTE.sub("", _NOT_TWICE.sub("", text)))
