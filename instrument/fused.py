"""Record whether a compiler may fuse multiplications and additions, because counting such programs takes longer."""

from __future__ import annotations

from itertools import chain
from typing import Final

from ..experiment.fused import FUSED
from .compiler import CompilerCommand, Role
from .object_notes import noted
from .predefined import predefined_macros

__all__ = ["fused_assembly"]

_MACRO: Final = "__FMA__"  # a macro of compilers for x86, on which fused operations were measured
_CONTRACTION: Final = "-ffp-contract="


def fused_assembly(command: CompilerCommand, language: str) -> list[str]:
    """Return assembler lines that record that the compiler may fuse operations, or an empty list if it may not.

    Args:
        command: The user's command.
        language: Name of the language for ``-x``.
    """
    contraction = [option for option in command.of(Role.COMPILE, Role.BOTH) if option.startswith(_CONTRACTION)]
    if contraction and contraction[-1].endswith("=off"):
        return []
    return noted([FUSED]) if _has_instructions(command, language) else []


def _has_instructions(command: CompilerCommand, language: str) -> bool:
    """Return whether the options select a machine with fused multiply-add instructions."""
    machine = (argument.words for argument in command.arguments if argument.words[0].startswith("-m"))
    read_as = language if language == "c++" else "c"  # Fortran is tested as C, because it has no such macro
    return _MACRO in predefined_macros(command.compiler, read_as, [*chain.from_iterable(machine)])
