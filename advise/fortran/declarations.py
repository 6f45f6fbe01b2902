"""Parse specification statements: the declarations of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from ...instrument.expression import expression
from ...instrument.fortran.declarations import entities
from ...instrument.fortran.lines import Statement
from ...instrument.line_markers import MarkedText
from ..expression import Element, Expression
from ..nest import Declaration, Structure
from .expressions import Reader, UnreadableError
from .intrinsics import KIND_BYTES
from .places import Places
from .scope import Scope

__all__ = ["DEFAULT_TYPES", "allocated", "declare", "implicit_types", "structure", "typed"]

_TYPE: Final = expression(
    r"(?P<word>integer|real|complex|logical|character|doubleprecision|doublecomplex|byte|type(?=\()|class(?=\())"
    r"(?:\*(?P<bytes>\d+)|\*?(?P<selector>\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)))?"
)
_ATTRIBUTE: Final = expression(r"(dimension|allocatable|pointer|target|save|contiguous|volatile)(?:::)?(?=\w)")
_INTENT: Final = expression(r"intent\((in|out|inout)\)(?:::)?(?=\w)")
_EXTERNAL: Final = expression(r"(?:external|procedure\(\w*\)[^:]*)(?:::)?(?=\w)")
_EQUIVALENCE: Final = expression(r"equivalence\(")
_COMMON: Final = expression(r"common(?=[/\w])")
_BLOCK: Final = expression(r",?/\w*/")
_DATA: Final = expression(r"data(?=[a-z(])")
_IMPLICIT: Final = expression(r"implicit(?!none)")
_RANGE: Final = expression(r"([a-z])(?:-([a-z]))?")
_ENTITY: Final = expression(r"(?P<name>[a-z_]\w*)(?:\*\d+)?(?P<dims>\()?")
_NAMES: Final = expression(r"[a-z_]\w*")

DEFAULT_TYPES: Final = {
    each: Element("integer", 4) if each in "ijklmn" else Element("real", 4) for each in "abcdefghijklmnopqrstuvwxyz"
}
"""The types of undeclared names, by first letter."""
_BYTES: Final = {
    **dict.fromkeys(["integer", "real", "logical"], 4),
    **dict.fromkeys(["complex", "doubleprecision"], 8),
    "doublecomplex": 16,
    "byte": 1,
}
_KINDS: Final = {
    "doubleprecision": "real",
    "doublecomplex": "complex",
    "byte": "integer",
    **dict.fromkeys(["type", "class"], "structure"),
}
_KIND_OF_LITERAL: Final = expression(r"kind\(\d*\.?\d*(?:e[-+]?\d+|(?P<double>d[-+]?\d+))?\)")
_KIND_OF_DIGITS: Final = expression(r"selected_(?P<word>real|int)_kind\((?:[pr]=)?(?P<digits>\d+)(?:,[^()]*)?\)")
_REAL_DIGITS: Final = ((6, 4), (15, 8))
_INTEGER_DIGITS: Final = ((2, 1), (4, 2), (9, 4), (18, 8))
_LONGEST_TEXT: Final = 6
"""Maximum number of digits in the length of a character variable."""


class _Entity(NamedTuple):
    """A declared name with its bounds and initial value, parsed and as written."""

    name: str
    extents: tuple[Expression | None, ...] = ()
    value: Expression | None = None
    text: str = ""


@dataclass(slots=True)
class _Said:
    """The type and attributes that apply to all names in a declaration."""

    element: Element | None = None
    words: set[str] = field(default_factory=set)
    extents: tuple[Expression | None, ...] = ()
    intent: str = ""


def declare(statements: Iterable[Statement], text: MarkedText, scope: Scope, *, outlives: bool = False) -> None:
    """Add the declarations in specification statements to a scope.

    Args:
        statements: The statements.
        text: The source that contains the statements.
        scope: The scope to which the names are added.
        outlives: Whether the variables keep their values between calls.
    """
    for statement in statements:
        try:
            _Declarer(statement, text, scope, outlives=outlives).declare()
        except UnreadableError:
            continue
        if statement.code == "save":
            outlives = True
    if outlives:
        scope.variables |= {name: replace(each, outlives=True) for name, each in scope.variables.items()}


def structure(name: str, statements: Iterable[Statement], text: MarkedText, scope: Scope, line: int) -> Structure:
    """Parse the definition of a structure."""
    inner = scope.within()
    inner.variables = {each: known for each, known in scope.variables.items() if known.is_constant}
    constants = set(inner.variables)
    declare(statements, text, inner)
    fields = tuple(known for each, known in inner.variables.items() if each not in constants)
    return Structure(name, fields, _bytes_of(fields, inner), line)


def implicit_types(statements: Iterable[Statement], given: dict[str, Element], scope: Scope) -> dict[str, Element]:
    """Return ``given``, a map of first letters to implicit types, updated by IMPLICIT statements."""
    found = dict(given)
    for statement in statements:
        code = statement.code
        if code.startswith("implicitnone"):
            found = {}
        elif match := _IMPLICIT.match(code):
            for each in entities(code[match.end() :]):
                letters = each.rfind("(")
                said = _TYPE.match(each[:letters] if letters > 0 else each)
                if said:
                    element = _element(said, scope)
                    for first, last in _RANGE.findall(each[letters:]):
                        found |= {chr(each): element for each in range(ord(first), ord(last or first) + 1)}
    return found


def _bytes_of(fields: Iterable[Declaration], scope: Scope) -> int:
    """Return the size of a structure with these fields in bytes; 0 if unknown."""
    total = 0
    for each in fields:
        size = each.element.bytes
        for extent in each.extents:
            size *= scope.constant(extent) or 0
        if size <= 0:
            return 0
        total += size
    return total


def typed(words: str, scope: Scope) -> Element | None:
    """Return a function's type from the words before FUNCTION; None if there is none."""
    code = "".join(words.split())
    match = next((match for at in range(len(code)) if (match := _TYPE.match(code, at))), None)
    return _element(match, scope) if match else None


def allocated(
    statement: Statement, first: int, text: MarkedText, scope: Scope
) -> Iterator[tuple[str, tuple[Expression | None, ...]]]:
    """Yield the variables that a statement allocates, with their extents.

    Args:
        statement: The statement.
        first: Start of the list in the statement's code.
        text: The source that contains the statement.
        scope: The names that are visible in the statement.
    """
    for each in _Declarer(statement, text, scope, outlives=False).entities(first):
        if each.extents:
            yield each.name, each.extents


class _Declarer:
    """Processes one specification statement."""

    def __init__(self, statement: Statement, text: MarkedText, scope: Scope, *, outlives: bool) -> None:
        self.code = statement.code
        self.places = Places(statement, text)
        self.scope = scope
        self.outlives = outlives

    def declare(self) -> None:  # noqa: PLR0912 - one branch per kind of statement
        """Add the statement's declarations to the scope."""
        code = self.code
        if match := _EXTERNAL.match(code):
            self.scope.externals |= set(_NAMES.findall(code[match.end() :]))
        elif match := _TYPE.match(code):
            self._typed(match)
        elif code.startswith("parameter("):
            self._parameters()
        elif match := _COMMON.match(code):
            for each in self.entities(match.end(), blocks=True):
                self._add(each, _Said(words={"save"}))
        elif _EQUIVALENCE.match(code):
            for name in _NAMES.findall(code[len("equivalence") :]):
                self._add(_Entity(name), _Said(words={"target"}))
        elif match := _INTENT.match(code):
            for each in self.entities(match.end()):
                self._add(each, _Said(intent=match[1]))
        elif match := _DATA.match(code):
            for name in (name for part in code[match.end() :].split("/")[::2] for name in _NAMES.findall(part)):
                self._add(_Entity(name), _Said(words={"save"}))
        elif match := _ATTRIBUTE.match(code):
            for each in self.entities(match.end()):
                self._add(each, _Said(words={match[1]}))

    def _typed(self, match: re.Match[str]) -> None:
        said = _Said(_element(match, self.scope))
        at = match.end()
        colons = self._colons(at)
        if colons >= 0:
            self._attributes(at, colons, said)
            at = colons + 2
        elif self.code[at : at + 1] == ",":
            at += 1  # skips the comma in ``CHARACTER*8, A``
        for each in self.entities(at):
            self._add(each, said)

    def _attributes(self, first: int, last: int, said: _Said) -> None:
        at = first
        for each in entities(self.code[first:last]):
            if each.startswith("dimension("):
                said.extents = self._extents(at + len("dimension("))
            elif each.startswith("intent("):
                said.intent = each[len("intent(") : -1]
            elif each:
                said.words.add(each)
            at += len(each) + 1

    def _colons(self, first: int) -> int:
        """Return the index of the double colon outside parentheses; -1 if there is none."""
        depth = 0
        for at in range(first, len(self.code)):
            each = self.code[at]
            depth += (each in "([") - (each in ")]")
            if depth == 0 and each == ":":
                return at if self.code.startswith("::", at) else -1
            if depth == 0 and each == "=":
                return -1
        return -1

    def entities(self, first: int, *, blocks: bool = False) -> Iterator[_Entity]:
        """Yield the declared names in a list, with bounds and initial values."""
        at = first
        code = self.code
        if blocks:
            code = _BLOCK.sub(lambda match: "," * len(match[0]), code)
        for each in entities(code[first:]):
            if match := _ENTITY.match(each):
                extents = self._extents(at + match.end()) if match["dims"] else ()
                yield _Entity(match["name"], extents, *self._value(each, at))
            at += len(each) + 1

    def _value(self, entity: str, at: int) -> tuple[Expression | None, str]:
        depth = 0
        for place, each in enumerate(entity):
            depth += (each in "([") - (each in ")]")
            if depth == 0 and each == "=" and not entity.startswith("=>", place):
                return self._read(at + place + 1, at + len(entity)), entity[place + 1 :]
        return None, ""

    def _read(self, first: int, last: int) -> Expression | None:
        try:
            return Reader(self.code, self.places, self.scope, first, last).whole()
        except UnreadableError:
            return None

    def _extents(self, first: int) -> tuple[Expression | None, ...]:
        """Parse an array's bounds after the opening parenthesis; return the number of elements along each dimension."""
        depth, last = 1, first
        while depth and last < len(self.code):
            depth += (self.code[last] in "([") - (self.code[last] in ")]")
            last += 1
        found = []
        for each in entities(self.code[first : last - 1]):
            found.append(self._extent(each, first))
            first += len(each) + 1
        return tuple(found)

    def _extent(self, bounds: str, at: int) -> Expression | None:
        lower, colon, upper = _cut(bounds)
        if not colon:
            return None if lower in {"*", "..", ""} else self._read(at, at + len(lower))
        if upper in {"", "*"} or not lower:
            return None
        last = self._read(at + len(lower) + 1, at + len(bounds))
        first = self._read(at, at + len(lower))
        return None if last is None or first is None else self.scope.extent(first, last)

    def _parameters(self) -> None:
        at = len("parameter(")
        for each in entities(self.code[at:-1]):
            name = each.partition("=")[0]
            if _NAMES.fullmatch(name):
                self._add(_Entity(name, (), *self._value(each, at)), _Said(words={"parameter"}))
            at += len(each) + 1

    def _add(self, entity: _Entity, said: _Said) -> None:
        """Add the declaration of one name to the scope."""
        name, extents, value, written = entity
        known = self.scope.variables.get(name)
        if known is None or name in self.scope.inherited:
            known = Declaration(name, self.scope.by_letter(name))
            self.scope.inherited.discard(name)
        place = self.places.at(0)
        element = said.element or known.element
        words = said.words
        extents = extents or said.extents or known.extents
        if "pointer" in words and not extents and element.kind == "structure":
            element = Element("pointer", 8, element.structure)
        is_constant = known.is_constant or "parameter" in words
        if is_constant and written:
            self.scope.kinds[name] = _kind_bytes(written, self.scope)
            if (number := self.scope.constant(value)) is not None:
                self.scope.values[name] = number
        if "pointer" in words:
            self.scope.pointers.add(name)
        initial = value is not None and not is_constant
        self.scope.variables[name] = replace(
            known,
            element=element,
            extents=extents,
            value=known.value if value is None else value,
            is_constant=is_constant,
            may_overlap=known.may_overlap or bool(words & {"pointer", "target"}),
            outlives=known.outlives or self.outlives or "save" in words or initial,
            intent=said.intent or known.intent,
            line=place.line,
            column=place.column,
        )


def _element(match: re.Match[str], scope: Scope) -> Element:
    word = match["word"]
    kind = _KINDS.get(word, word)
    selector = (match["selector"] or "")[1:-1]
    if kind == "structure":
        name = selector.partition("(")[0]
        intrinsic = _TYPE.fullmatch(name)  # an intrinsic type in parentheses, as in ``TYPE(REAL)``
        return _element(intrinsic, scope) if intrinsic else Element(kind, 0, "" if name == "*" else name)
    if kind == "character":
        return Element(kind, _length(match["bytes"] or selector))
    if match["bytes"]:
        return Element(kind, int(match["bytes"][:4]))
    if not selector:
        return Element(kind, _BYTES[word])
    size = _kind_bytes(selector.removeprefix("kind="), scope)
    return Element(kind, size * 2 if kind == "complex" else size)


def _length(said: str) -> int:
    """Return the length of a character variable: 1 by default; 0 if unknown."""
    first = next(iter(entities(said)), "").removeprefix("len=")
    return 1 if not said else int(first) if first.isdigit() and len(first) <= _LONGEST_TEXT else 0


def _kind_bytes(said: str, scope: Scope) -> int:
    """Return the size in bytes that a kind parameter specifies; 0 if unknown."""
    if said.isdigit():
        return int(said[:4])
    if match := _KIND_OF_LITERAL.fullmatch(said):
        return 8 if match["double"] else 4
    if match := _KIND_OF_DIGITS.fullmatch(said):
        sizes = _REAL_DIGITS if match["word"] == "real" else _INTEGER_DIGITS
        return next((size for digits, size in sizes if int(match["digits"][:4]) <= digits), 16)
    return scope.kinds.get(said, KIND_BYTES.get(said, 0))


def _cut(bounds: str) -> tuple[str, bool, str]:
    """Split the bounds of a dimension at the colon; return the lower bound, whether there is a colon, and the rest."""
    depth = 0
    for place, each in enumerate(bounds):
        depth += (each in "([") - (each in ")]")
        if depth == 0 and each == ":":
            return bounds[:place], True, bounds[place + 1 :]
    return bounds, False, ""
