"""Find procedures and loops that are so small that a probe may take as much time as they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import inf, isnan, nan, prod
from typing import Final

from ..expression import expression
from ..size import SHORT, SHORT_REASON, TINY, TINY_REASON, called_often
from .declarations import declared, declared_names, entities
from .directives import is_active
from .form import Form
from .lines import Statement
from .meaning import Kind
from .units import Procedure

__all__ = ["Sizes", "referenced"]

_PLAIN: Final = {
    *(Kind.ASSIGNMENT, Kind.IF, Kind.CONSTRUCT, Kind.END_CONSTRUCT, Kind.BRANCH, Kind.CONTINUE, Kind.RETURN),
    *(Kind.DO, Kind.END_DO, Kind.EXIT, Kind.CYCLE),
}
_DO: Final = expression(r"(?:\w+:)?do\d*,?[a-z]\w*=([^,]+),([^,]+)(?:,([^,]+))?")
_SUM: Final = expression(r"(?:[+-]?\w+)+")
_TERM: Final = expression(r"([+-]?)(\w+)")
_PARAMETERS: Final = expression(r"parameter\((.*)\)|[^:]*,parameter\b[^:]*::(.*)")
_ENTITY: Final = expression(r"(\w+)(=?)(.*)")
_WORD: Final = expression(r"\w+")
_ALIAS: Final = expression(r"(\w+)=>")
_REFERENCE: Final = expression(r"([a-z]\w*)\(|(?:^|\))call([a-z]\w*)$")
_NAME: Final = expression(r"(?<![\w%.'])[a-z]\w*(?!\w)(\(?)")
_OPERATOR: Final = expression(r"\.([a-z]+)\.")
_OWN_OPERATORS: Final = frozenset("lt le eq ne gt ge and or not eqv neqv xor true false".split())  # noqa: SIM905
_ASKING: Final = expression(r"\b(?:size|lbound|ubound|present|allocated)\([^()]*\)")
_INSTRUCTIONS: Final = (
    "abs achar aimag aint allocated amax0 amax1 amin0 amin1 amod anint associated btest ceiling char cmplx "
    "conjg dabs dble dcmplx dfloat dim dint dmax1 dmin1 dmod dnint dsign dsqrt epsilon float floor huge iabs "
    "iachar iand ibclr ibits ibset ichar idint idnint ieor ifix int ior ishft isign kind lbound len max max0 "
    "max1 merge min min0 min1 mod modulo nint not present real sign size sngl sqrt tiny ubound"
)
_WIDE: Final = expression(r"(?:type|class|character\*?)\(|character.*\*")  # types of any size
# Members, sections, and powers, unless the exponent is an integer literal.
_BEYOND: Final = expression(r"%|:(?=.)|\*\*(?!\d+(?![\w.]))")
_TARGET: Final = expression(r"(?:^|\))([a-z]\w*)=(?!=)")
_INTRINSICS: Final = frozenset(_INSTRUCTIONS.split())
_WORDS: Final = frozenset(["if", "elseif", "selectcase", "case"])


class Sizes:
    """Estimates how many statements the procedures of a source execute.

    A name that may be a call or a whole array counts as one, so that the time of calls and array operations is not
    hidden in the caller's time.

    Args:
        procedures: All procedures of the source.
        form: The form of the source.
    """

    def __init__(self, procedures: list[Procedure], form: Form) -> None:
        self._procedures = procedures
        self._form = form
        self._names: dict[int, _Names] = {}

    def why_small(self, procedure: Procedure) -> str:
        """Return a reason if a procedure is small: a few scalar statements without call, I/O or array syntax.

        The reason is empty if the procedure is not small.
        """
        steps = [step for step in procedure.steps if step.is_executable]
        if procedure.is_program or not steps:
            return ""
        executed = self._executed(procedure, 0, len(procedure.steps))
        if executed <= TINY and not procedure.loops:
            return TINY_REASON
        return SHORT_REASON if executed <= SHORT and _name(procedure) in self._often else ""

    def why_short(self, procedure: Procedure, first: int, last: int) -> str:
        """Return a reason if a loop is short, entered often, and as simple as a small procedure, or an empty string."""
        is_inner = any(procedure.steps[place].meaning.kind is Kind.DO for place in procedure.steps[first].around)
        is_short = self._executed(procedure, first, last + 1) <= SHORT
        return SHORT_REASON if is_short and (is_inner or _name(procedure) in self._often) else ""

    def _executed(self, procedure: Procedure, first: int, end: int) -> float:
        """Return the maximum number of statements executed in a span, or infinity if it is unknown or above SHORT."""
        if (names := self._names.get(id(procedure))) is None:
            names = self._names[id(procedure)] = _Names(procedure)
        trips: dict[int, float] = {}
        total = 0.0
        for step in procedure.steps[first:end]:
            if any(is_active(directive, self._form) for directive in step.directives):
                return inf
            if not step.is_executable:
                continue
            kind, code = (step.meaning.action or step.meaning).kind, step.statement.code
            if kind is Kind.DO:
                trips[step.place] = _trips(code, names.constants)
            elif kind not in _PLAIN or not names.are_scalar(code):
                return inf
            total += prod(trips.get(place, 1) for place in (*step.around, step.place))
            if total > SHORT:
                return inf
        return total

    @cached_property
    def _often(self) -> set[str]:
        names = {_name(procedure) for procedure in self._procedures}
        main = {_name(procedure) for procedure in self._procedures if procedure.is_program}
        return called_often(names, main, self._calls(names))

    def _calls(self, names: set[str]) -> Iterator[tuple[str, str, bool]]:
        """Yield possible calls: caller, name of a procedure in the caller's text, and whether the name is in a loop."""
        for procedure in self._procedures:
            for step in (step for step in procedure.steps if step.is_executable):
                in_loop = any(procedure.steps[place].meaning.kind is Kind.DO for place in step.around)
                for name in names & referenced(step.statement.code):
                    yield _name(procedure), name, in_loop


def referenced(code: str) -> set[str]:
    """Return the names in a statement, in lower case without blanks, that may be procedures."""
    words = {word for pair in _REFERENCE.findall(code) for word in pair}
    return words | {word.removeprefix("call") for word in words}


def _name(procedure: Procedure) -> str:
    return procedure.meaning.name.lower()


def _trips(code: str, constants: dict[str, float]) -> float:
    """Return the trip count of a DO (at least 1), or infinity if its bounds or its step are not constant."""
    match = _DO.fullmatch(code)
    first, last, step = (_value(text or "1", constants) for text in match.groups()) if match else (nan, nan, nan)
    return inf if isnan(first + last + step) or not step else max((last - first + step) // step, 1)


def _constants(procedure: Procedure) -> dict[str, float]:
    """Map the integer constants that PARAMETER declares, if they are visible in a procedure, to their values."""
    found: dict[str, float] = {}
    for statements in procedure.specified[:-1]:
        _specify(statements, found)
    is_deep = len(procedure.specified) > 2  # unknown dummy arguments of the units in between may hide constants
    uses = [step.statement.code for step in procedure.steps if step.meaning.kind is Kind.USE]
    if is_deep or procedure.includes_unseen or not all("only:" in code for code in uses):
        found.clear()  # declarations in an unknown file may hide the host's constants
    entries = [step.statement.code for step in procedure.steps if step.statement.code.startswith("entry")]
    for name in (name for code in (procedure.header.code, *uses, *entries) for name in _WORD.findall(code)):
        found.pop(name, None)
    _specify(procedure.specified[-1], found)
    for name in (name for step in procedure.steps for name in _ALIAS.findall(step.statement.code)):
        found.pop(name, None)
    return found


def _specify(statements: Iterable[Statement], found: dict[str, float]) -> None:
    """Add the constants that a unit declares to ``found``; names that it declares twice, as in a BLOCK, become NaN."""
    own: set[str] = set()
    for statement in statements:
        if match := _PARAMETERS.fullmatch(statement.code):
            for entity in entities(match[1] or match[2]):
                if constant := _ENTITY.fullmatch(entity):
                    name, is_scalar, text = constant.groups()
                    found[name] = _value(text, found) if is_scalar and name not in own else nan
                    own.add(name)
        else:
            found.update((name, nan) for name, _ in declared_names(statement.code))


def _value(text: str, constants: dict[str, float]) -> float:
    """Return the value of a sum of literals and names, or NaN if the text is anything else."""
    terms = _TERM.findall(text) if _SUM.fullmatch(text) else []
    values = [float(word) if word.isdigit() else constants.get(word, nan) for _, word in terms]
    signed = [-value if sign == "-" else value for (sign, _), value in zip(terms, values, strict=True)]
    return sum(signed) if signed else nan


class _Names:
    """The names that are known in a procedure."""

    def __init__(self, procedure: Procedure) -> None:
        self._procedure = procedure
        self.is_array = declared(procedure.specified[-1])
        uses = any(step.meaning.kind is Kind.USE for step in procedure.steps)
        self.sees_others = procedure.has_host or procedure.includes_unseen or uses
        self.own = procedure.meaning.name.lower()
        codes = (step.statement.code for step in procedure.steps)
        self.wide = {name for code in codes if _WIDE.match(code) for name, _ in declared_names(code)}

    @cached_property
    def constants(self) -> dict[str, float]:
        """Name → value of the constants that may be bounds of a DO."""
        return _constants(self._procedure)

    def are_scalar(self, code: str) -> bool:
        """Return whether a statement contains only scalars, array elements, and operations of one instruction."""
        if _BEYOND.search(code) or not _OWN_OPERATORS.issuperset(_OPERATOR.findall(code)):
            return False
        target = _TARGET.search(code)
        if (target and not self._is_scalar(target.group(1))) or not self.wide.isdisjoint(_WORD.findall(code)):
            return False
        code = _OPERATOR.sub(" ", code)
        subscripted = {match.group().removesuffix("(") for match in _NAME.finditer(code) if match.group(1)}
        alone = {match.group() for match in _NAME.finditer(_ASKING.sub("", code)) if not match.group(1)}
        return not any(self.is_array.get(name) for name in alone) and all(
            self.is_array.get(name) or name in _INTRINSICS or name in _WORDS for name in subscripted
        )

    def _is_scalar(self, name: str) -> bool:
        """Return whether the target of an assignment is known to be a scalar of an intrinsic type."""
        if name in self.is_array:
            return not self.is_array[name]
        return not self.sees_others or name == self.own
