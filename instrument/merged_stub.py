"""Build the stub for Fortran compilers that accept no assembly: an object that is merged into each compiled object."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..digests import digest
from .compiler import CompilerCommand, Role, command_words
from .compiler_calls import run
from .front_end import FORTRAN_STUB
from .store import open_store
from .tool_fingerprint import compiler_environment, found_program, program_states

__all__ = ["MergedStub"]

_C_COMPILERS: Final = ("cc", "gcc", "clang")
_OPTIONS: Final = ("-c", "-O2", "-fPIC", "-w", "-DAA_ALL_NAMES", "-DAA_COPIES")
_ELF: Final = b"\x7fELF"


class MergedStub:
    """Builds the stub with a C compiler, and merges it into a command's objects with a partial link.

    The symbols of the probes depend on options of the Fortran compiler, so the stub defines all spellings. It copies
    descriptors, because the compiler may pass them on the stack.

    Args:
        command: The user's command.
        folder: Folder for the stub.

    Raises:
        UsageError: The quotes in ``AUTOANALYZER_CC`` are not balanced.
    """

    remark: Final = ""

    def __init__(self, command: CompilerCommand, folder: Path) -> None:
        self._command = command
        self._folder = folder
        self._compiler = _c_compiler()
        self._parts = [folder / "stub.o"]

    @property
    def words(self) -> list[str]:
        """The words that add the stub to a linking command; valid only if ``problem`` returns an empty string."""
        return [str(part) for part in self._parts] if self._command.links else []

    def problem(self) -> str:
        """Build the stub, and return why this failed, or an empty string if it succeeded."""
        if not self._command.fortran.maker:
            return "probes in Fortran need a compiler from GNU, LLVM, Intel, NVIDIA or Cray"
        if reason := self._refusal():
            return reason
        if not self._compiler:
            return "probes in Fortran need a C compiler: install gcc, or set AUTOANALYZER_CC"
        words = [*self._compiler, *_OPTIONS, "-x", "c", str(FORTRAN_STUB)]
        states = [*program_states(self._compiler), *compiler_environment()]
        store, key = open_store(), digest("merged stub", FORTRAN_STUB.read_bytes(), *words, *states)
        if known := store.get(key):
            self._parts[0].write_bytes(known)
            return ""
        if run([*words, "-o", str(self._parts[0])], messages=True).status:
            return "the C compiler cannot build the probes"
        store.put(key, self._parts[0].read_bytes())
        return ""

    def _refusal(self) -> str:
        if "-S" in self._command.of(Role.COMPILE):
            return "assembly output (-S) cannot contain the probes"
        if self._command.of(Role.DEPENDENCY) and not self._command.fortran.check:
            return "the requested dependencies would not be written"
        return ""

    def add(self, lines: Iterable[str]) -> None:
        """Add lines of assembly to the stub."""
        if text := "".join(f"{line}\n" for line in lines):
            source, made = self._folder / "more.s", self._folder / "more.o"
            source.write_text(f'{text}    .section .note.GNU-stack,"",@progbits\n', "ascii")
            if run([*self._compiler, "-c", str(source), "-o", str(made)], messages=True).status == 0:
                self._parts.append(made)

    def put_into(self, objects: list[Path]) -> str:
        """Merge the stub into objects; return why that failed, or an empty string."""
        merged = self._folder / "merged.o"
        for path in objects:
            try:
                with path.open("rb") as stream:
                    start = stream.read(len(_ELF))
            except OSError:
                return "the compiler wrote no object file"
            if start != _ELF:
                return "link-time optimisation would drop the probes"
            parts = map(str, [path, *self._parts])
            if run([*self._compiler, "-r", "-nostdlib", *parts, "-o", str(merged)], messages=True).status:
                return "the linker cannot add the probes to the object file"
            path.write_bytes(merged.read_bytes())
        return ""


def _c_compiler() -> list[str]:
    """Return the command of a C compiler, or an empty list if there is none."""
    named = command_words("AUTOANALYZER_CC", os.environ.get("AUTOANALYZER_CC", ""))
    if named:
        return named if found_program(named[0]) else []
    return next(([name] for name in _C_COMPILERS if found_program(name)), [])
