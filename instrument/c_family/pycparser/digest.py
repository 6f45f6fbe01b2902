"""Rewrite preprocessed C for pycparser, which reads only standard C, without moving lines and columns.

Extensions of compilers and their headers are blanked, or replaced by standard text that is not longer. The meaning may
be lost, but functions, loops and jumps are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ...expression import expression
from ..lexer import blank, group_end
from ..preprocessed import Preprocessed

__all__ = ["PRELUDE", "digest", "outer_braces"]

_BUILTIN_TYPES: Final = [
    "__builtin_va_list",
    "__builtin_ms_va_list",
    "__int128_t",
    "__uint128_t",
    "__float128",
    "__float80",
    "__ibm128",
    "__fp16",
    "__bf16",
    "_Float16",
    "_Float32",
    "_Float64",
    "_Float128",
    "_Float32x",
    "_Float64x",
    "_Decimal32",
    "_Decimal64",
    "_Decimal128",
    "bool",
]
_ANY_TYPE: Final = "_N"  # short name that replaces types in system text; unsigned, the safe assumption for trip counts
PRELUDE: Final = " ".join([*(f"typedef int {name};" for name in _BUILTIN_TYPES), f"typedef unsigned {_ANY_TYPE};"])
"""One line that declares the types built into compilers; the parser reads it first."""

_STANDARD_SPELLING: Final = {
    "__inline__": "inline",
    "__inline": "inline",
    "__restrict__": "restrict",
    "__restrict": "restrict",
    "__signed__": "signed",
    "__signed": "signed",
    "__const__": "const",
    "__const": "const",
    "__volatile__": "volatile",
    "__volatile": "volatile",
    "__complex__": "_Complex",
    "__complex": "_Complex",
    "__auto_type": "int",
    "constexpr": "const",
}
_WITHOUT_MEANING: Final = frozenset(
    [
        "__extension__",
        "_Noreturn",
        "__thread",
        "_Thread_local",
        "thread_local",
        "__real__",
        "__real",
        "__imag__",
        "__imag",
        "_Nonnull",
        "_Nullable",
        "_Null_unspecified",
    ]
)
# Words that are followed by a group in parentheses, and the text that replaces both.
_GROUPED: Final = {
    **dict.fromkeys(["__attribute__", "__attribute", "__declspec", "_Alignas", "alignas"], ""),
    **dict.fromkeys(["_Static_assert", "static_assert"], ""),
    **dict.fromkeys(["__asm__", "__asm", "asm"], ""),
    **dict.fromkeys(["__typeof__", "__typeof", "typeof", "__typeof_unqual__", "typeof_unqual"], "int"),
    **dict.fromkeys(["_BitInt", "_Atomic"], "int"),
    **dict.fromkeys(["__alignof__", "__alignof", "_Alignof", "alignof", "__builtin_va_arg", "__builtin_offsetof"], "0"),
    **dict.fromkeys(["__builtin_types_compatible_p", "__builtin_convertvector", "__builtin_bit_cast"], "0"),
    "__builtin_has_attribute": "0",
}
_ASM: Final = frozenset(["__asm__", "__asm", "asm"])
_WORDS: Final = sorted([*_STANDARD_SPELLING, *_WITHOUT_MEANING, *_GROUPED], key=len, reverse=True)


def _any_word(first: str) -> str:
    """Return a pattern for the words in ``_WORDS`` with the given first letter; the pattern begins with this letter."""
    rest = "|".join(word[1:] for word in _WORDS if word[0] == first)
    return rf"{first}(?<![\w$]{first})(?:{rest})(?![\w$])"


# Each alternative begins with a literal character, so that the regex engine can skip other characters quickly.
_UNUSUAL: Final = expression(
    "|".join(map(_any_word, sorted({word[0] for word in _WORDS})))
    + r"|i(?<=[\d.]i)[fFlL]?(?![\w$])|d(?<=[\d.]d)[dfl](?![\w$])|D(?<=[\d.]D)[DFL](?![\w$])"
    + r"|f(?<=[\d.]f)(?:16|32|64|128)x?(?![\w$])|F(?<=[\d.]F)(?:16|32|64|128)x?(?![\w$])"
    + r"|q(?<=[\d.]q)(?![\w$])|Q(?<=[\d.]Q)(?![\w$])"
    + r"|w(?<=[\duU]w)b(?![\w$])|W(?<=[\duU]W)B(?![\w$])"
    + r"|a(?<![\w$]a)uto(?=\s+[A-Za-z_$][\w$]*\s*=)|e(?<![\w$]e)num\b\s*(?:\w+\s*)?:\s*[A-Za-z_][\w\s]*(?=[{;])"
    + r"|\?\s*:|\.(?<!\.\.)\.\.|\[\s*\[|g(?<!\wg)oto\s*\*|&&(?=\s*[A-Za-z_$])|_(?<!\w_)_label__\b[^;]*;"
)
_ASM_QUALIFIERS: Final = expression(
    r"\s*(?:(?:volatile|__volatile__|__volatile|goto|inline|__inline__|__inline)\b\s*)*"
)
_NUMBER: Final = expression(r"(?<![\w.$])\.?\d[\w.]*(?:[+-]\d+)?\Z")
_LONGEST_NUMBER: Final = 64  # maximum length of a number that is rewritten; longer numbers are left to the parser
_NAME: Final = expression(r"\s*([A-Za-z_$][\w$]*)")
# After one of these tokens, '&&' can only take a label's address; after 'n--' and 'n++', it is a logical AND.
_BEFORE_OPERAND: Final = expression(r"(?:[*/%&|^<>=!~?:,;({\[]|(?<!-)-|(?<!\+)\+|\breturn)\Z")
_OPENING: Final = expression(r"\s*\(")
_ANY_OPENING: Final = expression(r"[(\[{]")
_TYPEDEF: Final = expression(r"typedef(?<!\wtypedef)\b")  # begins with a literal character, so that searching is fast
_SPECIFIER_GROUP: Final = expression(
    r";|\{|\b(?:__attribute__|__attribute|__asm__|__asm|__declspec|__typeof__|__typeof|_Alignas)\s*\("
)
_NESTED_DECLARATOR: Final = expression(
    r"\(\s*(?:\w+\s+)?[*^]\s*(?:(?:const|volatile|__?restrict)\s+|\*\s*)*(\w+) | \(\s*(\w+)\s*\)\s*[(\[]", re.X
)
_PLAIN_DECLARATOR: Final = expression(r"(\w+)\s*\)?\s*(?=[\[(]|\Z)")


def digest(unit: Preprocessed) -> str:
    """Return a translation unit's text in standard C; system text is reduced to declarations of its types.

    Raises:
        LexicalError: A bracket does not close.
    """
    rewriter = _Rewriter(unit.masked)
    pieces = [
        _type_names(unit.masked[start:end]) if system else rewriter.rewrite(start, end)
        for start, end, system in unit.runs()
    ]
    return _without_outer_initialisers("".join(pieces))


class _Rewriter:
    """Rewrites user text as standard C of the same length."""

    def __init__(self, masked: str) -> None:
        self.masked = masked
        self._rules: tuple[tuple[str, Callable[[re.Match[str]], tuple[int, str]]], ...] = (
            *((first, self._suffix) for first in "idDfFqQwW"),
            ("auto", lambda match: (match.end(), "int")),
            ("enum", lambda match: (match.end(), match.group().partition(":")[0])),
            ("?", lambda match: (match.end(), "||")),
            (".", self._range),
            ("[", lambda match: (group_end(masked, match.start()), "")),
            ("goto", lambda match: (match.end() - 1, "")),
            ("&&", self._address),
            ("__label__", lambda match: (match.end(), "")),
            ("", self._word),
        )

    def rewrite(self, start: int, end: int) -> str:
        """Return the rewritten text between two offsets, which has the same length."""
        pieces = []
        offset = start
        while match := _UNUSUAL.search(self.masked, offset, end):
            rule = next(rule for start, rule in self._rules if match.group().startswith(start))
            replaced_to, replacement = rule(match)
            pieces.append(self.masked[offset : match.start()])
            pieces.append(blank(self.masked[match.start() : replaced_to], replacement))
            offset = replaced_to
        pieces.append(self.masked[offset:end])
        return "".join(pieces)

    def _word(self, match: re.Match[str]) -> tuple[int, str]:
        word, end = match.group(), match.end()
        if word in _WITHOUT_MEANING:
            return end, ""
        if word in _STANDARD_SPELLING:
            return end, _STANDARD_SPELLING[word]
        qualifiers = _ASM_QUALIFIERS.match(self.masked, end) if word in _ASM else None
        opening = _OPENING.match(self.masked, qualifiers.end() if qualifiers else end)
        if opening is None:
            return end, word
        return group_end(self.masked, opening.end() - 1), _GROUPED[word]

    def _suffix(self, match: re.Match[str]) -> tuple[int, str]:
        is_number = _NUMBER.search(self.masked, max(match.start() - _LONGEST_NUMBER, 0), match.start())
        return match.end(), "" if is_number else match.group()

    def _range(self, match: re.Match[str]) -> tuple[int, str]:
        before = self._before(match.start())[-1:]
        return match.end(), "..." if before == "," else "" if before == "(" else "+"

    def _address(self, match: re.Match[str]) -> tuple[int, str]:
        if not _BEFORE_OPERAND.search(self._before(match.start())):
            return match.end(), "&&"
        label = _NAME.match(self.masked, match.end())
        assert label is not None  # the pattern matches only if a label follows
        return label.end(), "0"

    def _before(self, offset: int) -> str:
        """Return a few characters before an offset, without blanks at their end."""
        while offset > 0 and self.masked[offset - 1].isspace():
            offset -= 1
        return self.masked[max(offset - len(" return"), 0) : offset]


def _type_names(system: str) -> str:
    """Return a declaration of the types that a system text declares, with the same length and lines."""
    names: dict[str, None] = {}
    for match in _TYPEDEF.finditer(system):
        names.update(dict.fromkeys(_declared(system, match.end())))
    lines = system.count("\n")
    declaration = f"typedef {_ANY_TYPE} {','.join(names)};" if names else ""
    return declaration.ljust(len(system) - lines) + "\n" * lines


def _declared(system: str, start: int) -> list[str]:
    """Return the names that a typedef declares; ``start`` is the offset after the word ``typedef``."""
    plain: list[str] = []
    offset = start
    while match := _SPECIFIER_GROUP.search(system, offset):
        plain.append(system[offset : match.start()])
        if match.group() == ";":
            break
        offset = group_end(system, match.end() - 1)
        plain.append(" ")
    declarators = _nested_commas_blanked("".join(plain)).split(",")
    found = [_NESTED_DECLARATOR.search(text) or _PLAIN_DECLARATOR.search(text) for text in declarators]
    return [str(match[match.lastindex or 0]) for match in found if match]


def _nested_commas_blanked(text: str) -> str:
    depth = 0
    result = []
    for character in text:
        depth += (character in "([") - (character in ")]")
        result.append(" " if depth and character == "," else character)
    return "".join(result)


def outer_braces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each group in braces that is not inside another group.

    Raises:
        LexicalError: A bracket does not close.
    """
    offset = 0
    while match := _ANY_OPENING.search(text, offset):
        offset = group_end(text, match.start())
        if match.group() == "{":
            yield match.start(), offset


def _without_outer_initialisers(text: str) -> str:
    """Empty the initialisers at file scope, because tables can be long, but contain no loops or jumps."""
    pieces = []
    offset = 0
    for start, end in outer_braces(text):
        equals = text.rfind("=", offset, start)
        if equals >= 0 and not text[equals + 1 : start].strip() and end - start > len("{0}"):
            pieces += [text[offset:start], "{", blank(text[start + 1 : end - 1], "0"), "}"]
            offset = end
    return "".join([*pieces, text[offset:]])
