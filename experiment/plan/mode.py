"""The modes of instrumentation (Liu et al. 2011, section 5): how a source is divided into regions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...errors import UsageError, way_out
from ..region import CALL_KINDS

__all__ = ["CALL_MODES", "DEFAULT_MODES", "MODES", "asked_modes", "kinds_of", "mode_of", "modes_of"]

MODES: Final = ("functions", "outer-loops", "inner-loops", "math", "mpi", "syscall", "library", "user", "openmp")
"""All modes; any subset can be selected."""

DEFAULT_MODES: Final = ("functions", "outer-loops", "user", "openmp")

CALL_MODES: Final = CALL_KINDS
"""The modes whose regions are calls; each is named like the kind of its regions."""

_OF_KIND: Final = {"program": "functions", "function": "functions", "loop": "outer-loops", "parallel": "openmp"}


_KINDS: Final = {
    "functions": ("function", "program"),
    "outer-loops": ("loop",),
    "inner-loops": ("loop", "parallel"),
    "openmp": ("parallel", "loop"),
}


def kinds_of(mode: str) -> tuple[str, ...]:
    """Return the kinds of the regions that a mode instruments."""
    return _KINDS.get(mode, (mode,))


def mode_of(kind: str) -> str:
    """Return the mode to which regions of a kind belong; for loops, the mode for outermost loops."""
    return _OF_KIND.get(kind, kind)


def asked_modes(text: str, asked_by: str) -> tuple[str, ...]:
    """Return the modes in the value of an option or variable, where they are separated by commas or spaces.

    Raises:
        UsageError: A mode does not exist, or there are no modes in the text.
    """
    found = modes_of(text.replace(",", " ").split(), asked_by)
    if not found:
        raise UsageError(f"{asked_by}: expected modes, found nothing; {_known('', MODES)}")
    return found


def modes_of(words: Iterable[str], asked_by: str) -> tuple[str, ...]:
    """Convert words to modes, in the order of ``MODES``.

    Args:
        words: The names of the modes.
        asked_by: The option or variable with the names, for error messages.

    Raises:
        UsageError: There is no such mode.
    """
    found = [word.strip() for word in words if word.strip()]
    for word in found:
        if word not in MODES:
            raise UsageError(f"{asked_by}: expected modes, found {word!r}; {_known(word, MODES)}")
    return tuple(mode for mode in MODES if mode in found)


def _known(word: str, modes: Sequence[str]) -> str:
    said = way_out(word, modes)
    return said if said.startswith("did") else f"the modes are {', '.join(modes)}"
