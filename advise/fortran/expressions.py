"""Parse Fortran's expressions into those of ``expression.py``, by operator precedence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from ..expression import Binary, Call, Expression, Name, Number, Opaque, Section, Text, Unary, parts
from .places import At, Places
from .scope import Scope
from .tokens import Token, tokens

__all__ = ["Reader", "UnreadableError", "conjunction", "negated", "shallow"]

_DEEPEST: Final = 60
"""Nesting limit for expressions: they are walked recursively, and Python allows only about 1,000 nested calls."""
_TALLEST: Final = 200
"""Limit on a tree's depth, because walking is recursive: in a sum, each partial sum is an operand of the next."""
_LONGEST_NUMBER: Final = 18
"""Greatest number of digits of a number that always fits into 64 bits."""

_UNARY_MINUS: Final = 8
_NOT: Final = 4
_POWER: Final = 10
_OWN_UNARY: Final = 11
# Operator precedence: operators higher in the standard's table have larger numbers.
_BINARY: Final = {
    **dict.fromkeys([".eqv.", ".neqv."], 1),
    ".or.": 2,
    ".and.": 3,
    **dict.fromkeys(["==", "/=", "<", "<=", ">", ">=", ".eq.", ".ne.", ".lt.", ".le.", ".gt.", ".ge."], 5),
    "//": 6,
    **dict.fromkeys(["+", "-"], 7),
    **dict.fromkeys(["*", "/"], 9),
    "**": _POWER,
}
_IN_THE_MODEL: Final = {
    ".eqv.": "==",
    ".neqv.": "!=",
    ".or.": "||",
    ".and.": "&&",
    "/=": "!=",
    ".eq.": "==",
    ".ne.": "!=",
    ".lt.": "<",
    ".le.": "<=",
    ".gt.": ">",
    ".ge.": ">=",
}
_OPPOSITE: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TRUTH: Final = {".true.": 1, ".false.": 0}
_OPENING: Final = {"(": ")", "[": "]", "(/": "/)"}


class UnreadableError(Exception):
    """Raised if an expression is invalid or nested too deeply."""


class Reader:
    """Parses expressions of a statement, from left to right.

    Args:
        code: The statement, in lower case without blanks.
        first: Index of the first character.
        last: Index after the last character.
        places: The positions of the statement's characters.
        scope: The names that are visible in the statement.
    """

    def __init__(self, code: str, places: Places, scope: Scope, first: int = 0, last: int | None = None) -> None:
        self._tokens = list(tokens(code, first, last))
        self._next = 0
        self._depth = 0
        self._keywords: tuple[str, ...] = ()
        self._places = places
        self._scope = scope

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._next]

    @property
    def ahead(self) -> Token:
        """The token after the next one; the last token if there is none."""
        return self._tokens[min(self._next + 1, len(self._tokens) - 1)]

    def takes(self, sign: str) -> bool:
        """Skip the next token if it is the given sign; return whether it was."""
        if self.token.text != sign or self.token.kind == "text":
            return False
        self._next += 1
        return True

    def expects(self, sign: str) -> None:
        """Skip the next token, which must be the given sign.

        Raises:
            UnreadableError: The next token is different.
        """
        if not self.takes(sign):
            raise UnreadableError

    def whole(self) -> Expression:
        """Parse an expression that extends to the end.

        Raises:
            UnreadableError: There is no expression, or something follows it.
        """
        found = self.expression()
        if self.token.kind != "end":
            raise UnreadableError
        return shallow(found)

    def expression(self, at_least: int = 0) -> Expression:
        """Parse the next expression, with operators of at least the given precedence.

        Raises:
            UnreadableError: There is no expression.
        """
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError
        found = self._operand()
        while (operator := self._operator()) and (binds := _BINARY.get(operator, 0)) >= at_least:
            at = self._at()
            self._next += 1
            right = self.expression(binds if binds == _POWER else binds + 1)
            found = self._joined(operator, found, right, at)
        self._depth -= 1
        return found

    def _operator(self) -> str:
        token = self.token
        if token.kind == "word":
            return "" if token.text in _TRUTH or token.text == ".not." else token.text
        return token.text if token.kind == "sign" and token.text in _BINARY else ""

    def _joined(self, operator: str, left: Expression, right: Expression, at: At) -> Expression:
        place = left if left.line else at
        if operator not in _BINARY:
            return Call(operator, (left, right), line=place.line, column=place.column)
        return Binary(_IN_THE_MODEL.get(operator, operator), left, right, line=place.line, column=place.column)

    def _operand(self) -> Expression:  # noqa: PLR0911 - one case per kind of token
        token, at = self.token, self._at()
        match token.kind, token.text:
            case "sign", ("+" | "-") as sign:
                self._next += 1
                operand = self.expression(_UNARY_MINUS)
                return operand if sign == "+" else _minus(operand, at)
            case "word", ".not.":
                self._next += 1
                return Unary("!", self.expression(_NOT), line=at.line, column=at.column)
            case "word", text if text in _TRUTH:
                self._next += 1
                if self.token.kind == "name" and self.token.text.startswith("_"):
                    self._next += 1  # a kind parameter, as in ``.true._4``
                return Number(_TRUTH[text], line=at.line, column=at.column)
            case "word", text:
                self._next += 1
                return Call(text, (self.expression(_OWN_UNARY),), line=at.line, column=at.column)
            case "number", text:
                self._next += 1
                return _number(text, at)
            case "bits", _:
                self._next += 1
                return Opaque(changes=False, line=at.line, column=at.column)
            case "text", text:
                self._next += 1
                written = self._places.written(token.at, token.at + len(text))
                found: Expression = Text(written[1:-1], line=at.line, column=at.column)
                return self._part_of_text(found, at)
            case "name", _:
                return self.reference()
            case "sign", ("(" | "[" | "(/") as opening:
                return self._in_parentheses(_OPENING[opening], at)
        raise UnreadableError

    def _part_of_text(self, text: Expression, at: At) -> Expression:
        if not self.takes("("):
            return text
        return Opaque((text, *self.arguments()), changes=False, line=at.line, column=at.column)

    def _in_parentheses(self, closing: str, at: At) -> Expression:
        """Parse an expression in parentheses, a complex number, an implied loop, or an array constructor."""
        self._next += 1
        found = self._list(closing)
        if closing == ")" and len(found) == 1 and not isinstance(found[0], Section):
            return found[0]
        return Opaque(found, changes=False, line=at.line, column=at.column)

    def reference(self) -> Expression:
        """Parse a variable, an element, a field, or a function call.

        Raises:
            UnreadableError: The next token does not begin a reference.
        """
        token, at = self.token, self._at()
        if token.kind != "name":
            raise UnreadableError
        self._next += 1
        name = token.text
        found = self._scope.applied(name, self.arguments(), at) if self.takes("(") else self._scope.name(name, at)
        links = 0
        while True:
            if self.takes("%"):
                links += 1
                name = self.token.text
                if self.token.kind != "name" or links > _DEEPEST:
                    raise UnreadableError
                self._next += 1
                arguments = self.arguments() if self.takes("(") else None
                found = self._scope.field(found, name, arguments, at)
            elif self.token.text == "(" and not isinstance(found, Call):
                self._next += 1
                links += 1
                if links > _DEEPEST:
                    raise UnreadableError
                found = self._scope.subscripted_with(found, self.arguments(), at)
            elif self.takes("["):
                found = Opaque((found, *self._list("]")), line=at.line, column=at.column)
            else:
                return found

    def arguments(self) -> tuple[Expression, ...]:
        """Parse the rest of a parenthesised list after its opening parenthesis, including the closing one.

        Raises:
            UnreadableError: The text is not a list of expressions.
        """
        return self._list(")")

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords in the last complete list; empty for items without a keyword."""
        return self._keywords

    def _list(self, closing: str) -> tuple[Expression, ...]:
        found: list[Expression] = []
        keywords: list[str] = []
        while not self.takes(closing):
            if found:
                self.expects(",")
            keyword = self.token.text if self.token.kind == "name" and self.ahead.text == "=" else ""
            more = [*self._item(closing)]
            keywords += [keyword] * len(more)
            found += more
        self._keywords = tuple(keywords)
        return tuple(found)

    def _item(self, closing: str) -> Iterable[Expression]:
        if self.token.kind == "name" and self.ahead.text == "=":  # a keyword or an implied loop's variable
            self._next += 2
        if self.takes("*"):  # ``*10``, the label of an alternate return
            if self.token.kind == "number":
                self._next += 1
            return ()
        if closing != ")" and self.token.kind == "name" and self.ahead.text == ":" == self._after_ahead():
            self._next += 3  # skips the type in ``[real :: 1, 2]``
            return ()
        at = self._at()
        first = None if self.token.text == ":" else self.expression()
        if self.token.text != ":":
            return (first,) if first else ()
        self._next += 1
        last = None if self.token.text in {":", ",", closing} else self.expression()
        step = self.expression() if self.takes(":") else None
        return (Section(first, last, step, line=at.line, column=at.column),)

    def _after_ahead(self) -> str:
        return self._tokens[min(self._next + 2, len(self._tokens) - 1)].text

    def _at(self) -> At:
        return self._places.at(self.token.at)

    def names(self) -> tuple[Expression, ...]:
        """Return all names in a text that cannot be parsed."""
        found = (each for each in self._tokens if each.kind == "name")
        places = ((each.text, self._places.at(each.at)) for each in found)
        return tuple(Name(text, line=at.line, column=at.column) for text, at in places)


def shallow(expression: Expression) -> Expression:
    """Return an expression unchanged if its tree is not too deep.

    Raises:
        UnreadableError: The tree is too deep.
    """
    level: list[Expression] = [expression]
    for _ in range(_TALLEST):
        level = [part for each in level for part in parts(each)]
        if not level:
            return expression
    raise UnreadableError


def negated(condition: Expression) -> Expression:
    """Return the negation of a condition."""
    match condition:
        case Unary(operator="!", operand=operand):
            return operand
        case Binary(operator=operator, left=left, right=right) if operator in _OPPOSITE:
            return Binary(_OPPOSITE[operator], left, right, line=condition.line, column=condition.column)
    return Unary("!", condition, line=condition.line, column=condition.column)


def conjunction(conditions: list[Expression], operator: str = "||") -> Expression:
    """Return conditions joined by an operator."""
    found = conditions[0]
    for each in conditions[1:]:
        found = Binary(operator, found, each, line=found.line, column=found.column)
    return found


def _minus(operand: Expression, at: At) -> Expression:
    if isinstance(operand, Number):
        return Number(-operand.value, line=at.line, column=at.column)
    return Unary("-", operand, line=at.line, column=at.column)


def _number(text: str, at: At) -> Expression:
    digits = text.partition("_")[0]
    if digits.isdigit() and len(digits) <= _LONGEST_NUMBER:
        return Number(int(digits), line=at.line, column=at.column)
    try:
        value = float(digits.replace("d", "e"))
    except ValueError:
        raise UnreadableError from None
    if not math.isfinite(value):
        return Opaque(changes=False, line=at.line, column=at.column)
    return Number(value, line=at.line, column=at.column)
