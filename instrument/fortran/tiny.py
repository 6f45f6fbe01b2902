"""Procedures so small that a probe may cost as much as they do."""

from __future__ import annotations

import re
from typing import Final

from .declarations import declared, declared_names
from .directives import is_active
from .form import Form
from .meaning import Kind
from .units import Procedure

__all__ = ["why_tiny"]

_TINY: Final = 20  # statements, as in C
_PLAIN: Final = {
    *(Kind.ASSIGNMENT, Kind.IF, Kind.CONSTRUCT, Kind.END_CONSTRUCT, Kind.BRANCH, Kind.CONTINUE, Kind.RETURN),
}
_NAME: Final = re.compile(r"(?<![\w%.'])[a-z]\w*(?!\w)(\(?)")
_OPERATOR: Final = re.compile(r"\.([a-z]+)\.")
_OWN_OPERATORS: Final = frozenset("lt le eq ne gt ge and or not eqv neqv xor true false".split())  # noqa: SIM905
_ASKING: Final = re.compile(r"\b(?:size|lbound|ubound|present|allocated)\([^()]*\)")
_INSTRUCTIONS: Final = (
    "abs achar aimag aint allocated amax0 amax1 amin0 amin1 amod anint associated btest ceiling char cmplx "
    "conjg dabs dble dcmplx dfloat dim dint dmax1 dmin1 dmod dnint dsign dsqrt epsilon float floor huge iabs "
    "iachar iand ibclr ibits ibset ichar idint idnint ieor ifix int ior ishft isign kind lbound len max max0 "
    "max1 merge min min0 min1 mod modulo nint not present real sign size sngl sqrt tiny ubound"
)
_TARGET: Final = re.compile(r"(?:^|\))([a-z]\w*)=(?!=)")
_INTRINSICS: Final = frozenset(_INSTRUCTIONS.split())
_WORDS: Final = frozenset(["if", "elseif", "selectcase", "case"])


def why_tiny(procedure: Procedure, form: Form) -> str:
    """Say that a procedure is tiny: a few scalar statements, without loop, call, I/O or array syntax.

    What may be a call, or a whole array, is taken for one: neither may hide in a caller's time.
    """
    steps = [step for step in procedure.steps if step.is_executable]
    if procedure.is_program or not 0 < len(steps) <= _TINY:
        return ""
    if any((step.meaning.action or step.meaning).kind not in _PLAIN for step in steps):
        return ""
    if any(is_active(directive, form) for step in procedure.steps for directive in step.directives):
        return ""
    names = _Names(procedure)
    if all(names.are_scalar(step.statement.code) for step in steps):
        return f"tiny: no loop, no call, at most {_TINY} statements"
    return ""


class _Names:
    """What is known of the names in a procedure."""

    def __init__(self, procedure: Procedure) -> None:
        self.is_array = declared(procedure.specified[-1])
        uses = any(step.meaning.kind is Kind.USE for step in procedure.steps)
        self.sees_others = procedure.has_host or procedure.includes_unseen or uses
        self.own = procedure.meaning.name.lower()
        derived = [step for step in procedure.steps if step.statement.code.startswith(("type(", "class("))]
        self.derived = {name for step in derived for name, _ in declared_names(step.statement.code)}

    def are_scalar(self, code: str) -> bool:
        """Whether a statement has nothing but scalars, elements of arrays, and what compilers do in an instruction."""
        if "%" in code or ":" in code.removesuffix(":") or not _OWN_OPERATORS.issuperset(_OPERATOR.findall(code)):
            return False
        target = _TARGET.search(code)
        if target and not self._is_scalar(target.group(1)):
            return False
        code = _OPERATOR.sub(" ", code)
        subscripted = {match.group().removesuffix("(") for match in _NAME.finditer(code) if match.group(1)}
        alone = {match.group() for match in _NAME.finditer(_ASKING.sub("", code)) if not match.group(1)}
        return not any(self.is_array.get(name) for name in alone) and all(
            self.is_array.get(name) or name in _INTRINSICS or name in _WORDS for name in subscripted
        )

    def _is_scalar(self, name: str) -> bool:
        """Whether a name that is assigned to is known to be a scalar of an intrinsic type."""
        if name in self.is_array:
            return not self.is_array[name] and name not in self.derived
        return not self.sees_others or name == self.own
