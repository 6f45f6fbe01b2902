"""Procedures so small that a probe may cost as much as they do."""

from __future__ import annotations

import re
from typing import Final

from .declarations import declared
from .meaning import Kind
from .units import Procedure

__all__ = ["why_tiny"]

_TINY: Final = 20  # statements, as in C
_PLAIN: Final = {
    *(Kind.ASSIGNMENT, Kind.IF, Kind.CONSTRUCT, Kind.END_CONSTRUCT, Kind.BRANCH, Kind.CONTINUE),
    *(Kind.RETURN, Kind.CONTAINS, Kind.END_UNIT),
}
_REFERENCE: Final = re.compile(r"(?<![\w%])([a-z]\w*)\(")
_INSTRUCTIONS: Final = (
    "abs achar aimag aint allocated amax0 amax1 amin0 amin1 amod anint associated btest ceiling char cmplx "
    "conjg dabs dble dcmplx dfloat dim dint dmax1 dmin1 dmod dnint dsign dsqrt epsilon float floor huge iabs "
    "iachar iand ibclr ibits ibset ichar idint idnint ieor ifix int ior ishft isign kind lbound len max max0 "
    "max1 merge min min0 min1 mod modulo nint not present real sign size sngl sqrt tiny ubound"
)
_INTRINSICS: Final = frozenset(_INSTRUCTIONS.split())
_WORDS: Final = frozenset(["if", "elseif", "selectcase", "case"])


def why_tiny(procedure: Procedure) -> str:
    """Say that a procedure is tiny: a few scalar statements, without loop, call, I/O or array syntax.

    What may be a call, or a whole array, is taken for one: neither may hide in a caller's time.
    """
    steps = [step for step in procedure.steps if step.is_executable]
    if procedure.is_program or not 0 < len(steps) <= _TINY:
        return ""
    if any((step.meaning.action or step.meaning).kind not in _PLAIN for step in steps):
        return ""
    names = declared(procedure.steps)
    uses = procedure.has_host or any(step.meaning.kind is Kind.USE for step in procedure.steps)
    own = procedure.meaning.name.lower()
    for step in steps:
        text = step.statement.code
        if "%" in text or ":" in text.removesuffix(":"):
            return ""
        for name in _REFERENCE.findall(text):
            if not names.get(name) and name not in _INTRINSICS and name not in _WORDS:
                return ""
        target = _target(text)
        if target and names.get(target, uses and target != own):
            return ""
    return f"tiny: no loop, no call, at most {_TINY} statements"


def _target(code: str) -> str:
    """Give the name that a statement assigns to as a whole, if it does."""
    match = re.search(r"(?:^|\))([a-z]\w*)=(?!=)", code)
    return match.group(1) if match else ""
