"""Calls of library functions: which of them can be regions of their own, each around its arguments, too."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from ..c.calls import Call, fixed_text
from ..c.lexer import LexicalError, group_end, statement_end
from ..c.preprocessed import Preprocessed
from ..library_names import is_of_c, mode_of_call
from . import syntax
from .scopes import Scope

__all__ = ["LibraryCalls"]

_NOT_EVALUATED: Final = re.compile(
    r"\b(?:(?:sizeof|alignof|_Alignof|decltype|typeid|noexcept|typeof|__typeof__|__builtin_constant_p)\s*(?=\()"
    r"|requires\s*(?=[({]))"
)
_CONSTANT: Final = re.compile(
    r"\b(?:static|thread_local|constexpr|constinit|static_assert|_Static_assert|enum|case|using|new)\b"
)
_STATIC: Final = re.compile(r"[^=({;]*\b(?:static|thread_local|constexpr|constinit)\b")
_LEADING: Final = re.compile(
    r"\s*(?:else\b|do\b|case\b(?:[^:]|::)*:|\w+\s*:(?!:)|(?:if(?:\s+constexpr)?|for|while|switch)\s*\()"
)
# What they give is never into what they are given.
_FRESH: Final = re.compile(
    r"(?:aligned_alloc|calloc|fopen|getenv|malloc|memalign|mmap|opendir|popen|realloc|strdup|tmpfile|\w*fftw\w*)"
)
_NAME: Final = re.compile(r"(?:::\s*)?(?:\w+\s*::\s*)*(\w+)\s*\(")


class LibraryCalls:
    """The calls of library functions in a unit.

    A name of the C library is one if the system's headers declare it, any other name if the unit does not define it.

    Args:
        unit: The text.
        found: What the parser has found in it.
        is_system: Tells whether the text at an offset is not the user's.
    """

    def __init__(self, unit: Preprocessed, found: syntax.Syntax, is_system: Callable[[int], bool]) -> None:
        self._masked = unit.masked
        self._made = sorted([*(call.offset for call in found.calls), *(offset for offset, _ in found.objects)])
        self._objects = sorted(offset for offset, is_silent in found.objects if not is_silent)
        self._is_system = is_system
        self._own = {body.name.rpartition("::")[2] for body in found.bodies.values()}
        self._fixed = [
            *fixed_text(unit),
            *self._operands(),
            *((start, end, "initialises a member") for start, end in found.fields),
        ]

    def within(self, scope: Scope) -> list[Call]:
        """Find the calls that a function makes itself, in order."""
        calls = {
            call.offset: call
            for call in (*scope.calls, *scope.heads)
            if call.declared >= 0 or not (call.name or call.gives)
        }
        found = (self._call(calls[offset], scope) for offset in sorted(calls))
        return [call for call in found if call]

    def _call(self, call: syntax.Call, scope: Scope) -> Call | None:
        if not self._masked.endswith(")", call.offset, call.end):
            return None
        is_known = bool(call.name)
        name = call.name or self._unresolved(call)
        if not (mode := mode_of_call(name)):
            return None
        of_system = not is_known or self._is_system(call.declared)
        if not (of_system or (call.callee < 0 and not is_of_c(name))):
            return None
        fixed = next((why for low, high, why in self._fixed if low <= call.offset < high), "")
        reason = fixed or self._why_not(call, scope) if is_known else "not known before instantiation"
        return Call(name, mode, call.offset, call.end, reason)

    def _unresolved(self, call: syntax.Call) -> str:
        """Name a function by the text; empty if the unit has one of its own by that name, or there is no name."""
        match = _NAME.match(self._masked, call.offset)
        if match is None or match[1] in self._own or group_end(self._masked, match.end() - 1) != call.end:
            return ""
        return match[1]

    def _why_not(self, call: syntax.Call, scope: Scope) -> str:
        if call.offset < scope.body.body:
            return "stands before the body of its function"
        before = self._masked[self._beginning(call.offset) : call.offset]
        is_between_brackets = before.count("[") > before.count("]")
        if is_between_brackets or _CONSTANT.search(before) or self._is_static(call.offset, scope):
            return "its value may have to be known when compiling"
        if call.gives == "object":
            return "it gives an object"
        is_used = bool(before.strip()) or self._masked[call.end :].lstrip()[:1] != ";"
        return self._why_outlived(call) if is_used else ""

    def _why_outlived(self, call: syntax.Call) -> str:
        """Say why what the arguments make has to live on behind a call whose value is used."""
        arguments = self._masked.find("(", call.offset) + 1
        makes = "{" in self._masked[arguments : call.end] or _within(self._made, arguments, call.end)
        if call.gives == "pointer" and makes and not _FRESH.fullmatch(call.name):
            return "it gives a pointer, which may be into what its arguments make"
        return "what its arguments make ends later" if _within(self._objects, arguments, call.end) else ""

    def _is_static(self, offset: int, scope: Scope) -> bool:
        """Tell what stands in the declaration of a variable that is made once."""
        found = (start for start in scope.declarations if start < offset and _STATIC.match(self._masked, start, offset))
        return any(offset < statement_end(self._masked, start) for start in found)

    def _beginning(self, offset: int) -> int:
        """Tell where a statement begins that holds an offset, behind its labels and the conditions it is under."""
        start = max(self._masked.rfind(character, 0, offset) for character in ";{}") + 1
        while match := _LEADING.match(self._masked, start, offset):
            after = group_end(self._masked, match.end() - 1) if match[0].endswith("(") else match.end()
            if after > offset:
                break
            start = after
        return start

    def _operands(self) -> Iterator[tuple[int, int, str]]:
        for match in _NOT_EVALUATED.finditer(self._masked):
            try:
                yield match.end(), group_end(self._masked, match.end()), "its operand is not evaluated"
            except LexicalError:
                continue


def _within(offsets: list[int], start: int, end: int) -> bool:
    """Tell whether one of some offsets, in order, lies between two others."""
    index = bisect_left(offsets, start)
    return index < len(offsets) and offsets[index] < end
