"""Calls of library functions: which of them can be regions of their own, each around its arguments, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ..c.calls import Call, fixed_text
from ..c.lexer import LexicalError, group_end
from ..c.preprocessed import Preprocessed
from ..library_names import is_of_c, mode_of_call
from . import syntax
from .scopes import Scope

__all__ = ["LibraryCalls"]

_NOT_EVALUATED: Final = re.compile(
    r"\b(?:sizeof|alignof|_Alignof|decltype|typeid|noexcept|typeof|__typeof__|requires|__builtin_constant_p)\b\s*(?=[({])"
)
_CONSTANT: Final = re.compile(
    r"\b(?:static|thread_local|constexpr|constinit|static_assert|_Static_assert|enum|case|using|template|new)\b|\["
)


class LibraryCalls:
    """The calls of library functions in a unit.

    A name of the C library is one if the system's headers declare it, any other name if the unit does not define it.

    Args:
        unit: The text.
        is_system: Tells whether the text at an offset is not the user's.
    """

    def __init__(self, unit: Preprocessed, is_system: Callable[[int], bool]) -> None:
        self._masked = unit.masked
        self._is_system = is_system
        self._fixed = [*fixed_text(unit), *self._operands()]

    def within(self, scope: Scope) -> list[Call]:
        """Find the calls that a function makes itself, in order."""
        calls = {call.offset: call for call in scope.calls if call.declared >= 0}
        found = (self._call(calls[offset]) for offset in sorted(calls))
        return [call for call in found if call]

    def _call(self, call: syntax.Call) -> Call | None:
        mode = mode_of_call(call.name)
        of_system = self._is_system(call.declared)
        if not mode or not (of_system or (call.callee < 0 and not is_of_c(call.name))):
            return None
        if not self._masked.endswith(")", call.offset, call.end):
            return None
        fixed = next((why for low, high, why in self._fixed if low <= call.offset < high), "")
        return Call(call.name, mode, call.offset, call.end, fixed or self._why_not(call))

    def _why_not(self, call: syntax.Call) -> str:
        statement = max(self._masked.rfind(character, 0, call.offset) for character in ";{}") + 1
        if _CONSTANT.search(self._masked, statement, call.offset):
            return "its value may have to be known when compiling"
        if call.gives == "object":
            return "it gives an object"
        arguments = self._masked.find("(", call.offset) + 1
        is_used = bool(self._masked[statement : call.offset].strip()) or self._masked[call.end :].lstrip()[:1] != ";"
        if call.gives == "pointer" and is_used and re.search(r"[({]", self._masked[arguments : call.end]):
            return "it gives a pointer, which may be into what its arguments make"
        return ""

    def _operands(self) -> Iterator[tuple[int, int, str]]:
        for match in _NOT_EVALUATED.finditer(self._masked):
            try:
                yield match.end(), group_end(self._masked, match.end()), "its operand is not evaluated"
            except LexicalError:
                continue
