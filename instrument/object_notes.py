"""Store records about a program in its objects: strings in a section that is neither loaded nor stripped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .expression import expression

__all__ = ["noted"]

_SECTION: Final = '.autoanalyzer,"MS",%progbits,1'  # the linker keeps equal strings only once
_SPECIAL: Final = expression(rb'["\\?\x00-\x1f\x7f-\xff]')


def noted(strings: Sequence[bytes]) -> list[str]:
    """Return the assembler lines that store the strings; an empty list if there are none."""
    if not strings:
        return []
    return [f".pushsection {_SECTION}", *(f'.asciz "{_escaped(each)}"' for each in strings), ".popsection"]


def _escaped(text: bytes) -> str:
    return _SPECIAL.sub(lambda match: b"\\%03o" % ord(match.group()), text).decode("ascii")
