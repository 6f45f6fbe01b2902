"""Whether a command's compiler may fuse multiplications and additions: to count such a program takes longer."""

from __future__ import annotations

import os
import subprocess
from itertools import chain
from typing import Final

from ..compiler_records import without_records
from ..experiment.fused import FUSED
from .compiler import CompilerCommand, Role
from .object_notes import noted
from .store import digest, open_store
from .tool_fingerprint import processor
from .toolchain import Toolchain

__all__ = ["fused_assembly"]

_MACRO: Final = b"#define __FMA__ "  # of x86, where such programs were measured
_CONTRACTION: Final = "-ffp-contract="


def fused_assembly(command: CompilerCommand, language: str) -> list[str]:
    """Give the lines for the assembler that say that it may; none where it does not.

    Args:
        command: The user's command.
        language: As the compiler's ``-x`` knows it.
    """
    contraction = [option for option in command.of(Role.COMPILE, Role.BOTH) if option.startswith(_CONTRACTION)]
    if contraction and contraction[-1].endswith("=off"):
        return []
    return noted([FUSED]) if _has_instructions(command, language) else []


def _has_instructions(command: CompilerCommand, language: str) -> bool:
    """Ask the compiler what its options for the machine stand for, and remember the answer."""
    machine = [argument.words for argument in command.arguments if argument.words[0].startswith("-m")]
    read_as = language if language == "c++" else "c"  # for no macro tells Fortran
    words = [*command.compiler, *chain.from_iterable(machine), "-dM", "-E", "-x", read_as, os.devnull]
    native = [processor()] if any(word.endswith("=native") for word in words) else []
    store, key = open_store(), digest("fused", Toolchain(command.compiler, language).identity, *words, *native)
    known = store.get(key)
    if known is None:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=without_records(),
            check=False,
        )
        known = b"yes" if _MACRO in done.stdout else b"no"
        store.put(key, known)
    return known == b"yes"
