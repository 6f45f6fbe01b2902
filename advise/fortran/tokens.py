"""Split a statement into tokens: names, numbers, strings, operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...instrument.expression import expression

__all__ = ["Token", "tokens"]

_TOKEN: Final = expression(
    r"(?P<text>(?:[a-z]\w*_|\d+_)?(?:'[^']*'|\"[^\"]*\")+|[hw]?_+(?!\w))"
    r"|(?P<bits>[boxz](?:'[^']*'|\"[^\"]*\"))"
    r"|(?P<number>(?:\d+\.(?![a-z]+\.)\d*|\.\d+|\d+)(?:[ed][-+]?\d+)?(?:_\w+)?)"
    r"|(?P<name>[a-z_$][\w$]*)"
    r"|(?P<word>\.[a-z]+\.)"
    r"|(?P<sign>\*\*|//|==|/=|<=|>=|=>|\(/|/\)|.)"
)


class Token(NamedTuple):
    """A token of a statement.

    Attributes:
        kind: ``text``, ``bits``, ``number``, ``name``, ``word`` (``.and.``) or ``sign``; ``end`` after the last token.
        text: The token in lower case.
        at: Index of the token's first character in the statement's code.
    """

    kind: str
    text: str
    at: int


def tokens(code: str, first: int = 0, last: int | None = None) -> Iterator[Token]:
    """Yield the tokens of a statement or of a part of it.

    Args:
        code: A statement in lower case, without blanks and with masked literals.
        first: Index of the first character.
        last: Index after the last character.
    """
    last = len(code) if last is None else last
    for match in _TOKEN.finditer(code, first, last):
        yield Token(match.lastgroup or "", match.group(), match.start())
    yield Token("end", "", last)
