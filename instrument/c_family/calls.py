"""Find calls of library functions that can be regions of their own, including their arguments."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion
from ..expression import expression
from ..library_names import is_of_c, mode_of_call
from ..syntax import Body, Call, Syntax
from .judge import Judge
from .lexer import LexicalError, group_end, statement_end
from .preprocessed import Preprocessed

__all__ = ["LibraryCalls"]

_ATOMIC: Final = expression(r"(?:omp|acc)\s+atomic\b")
_CANONICAL: Final = expression(
    r"(?:omp|acc)\b[\w\s]*?\b(?:for|simd|loop|taskloop|distribute|tile|unroll|interchange)\b"
)
_NOT_EVALUATED: Final = expression(
    r"\b(?:(?:sizeof|alignof|_Alignof|decltype|typeid|noexcept|typeof|__typeof__|_Generic|__builtin_constant_p)\s*(?=\()"
    r"|requires\s*(?=[({]))"
)
_CONSTANT: Final = expression(
    r"\b(?:static|thread_local|constexpr|constinit|static_assert|_Static_assert|enum|case|using|new)\b"
)
_STATIC: Final = expression(r"[^=({;]*\b(?:static|thread_local|constexpr|constinit)\b")
_LEADING: Final = expression(
    r"\s*(?:else\b|do\b|case\b(?:[^:]|::)*:|\w+\s*:(?!:)|(?:if(?:\s+constexpr)?|for|while|switch)\s*\()"
)
# Functions whose results never point into their arguments.
_FRESH: Final = expression(
    r"(?:aligned_alloc|calloc|fopen|getenv|malloc|memalign|mmap|opendir|popen|realloc|strdup|tmpfile|\w*fftw\w*)"
)
_END: Final = expression(r"\s*;")
_NAME: Final = expression(r"(?:::\s*)?(?:\w+\s*::\s*)*(\w+)\s*\(")


class LibraryCalls:
    """The calls of library functions in a translation unit.

    A function counts as part of the C library if a system header declares it, and as part of another library if the
    unit does not define it.

    Args:
        unit: The text.
        syntax: The parser's result.
        cxx: Whether the text is C++, where a call may create temporary objects for its arguments.
    """

    def __init__(self, unit: Preprocessed, syntax: Syntax, *, cxx: bool) -> None:
        self._unit = unit
        self._masked = unit.masked
        calls = (call.offset for body in syntax.bodies for call in (*body.calls, *body.heads) if cxx)
        self._made = sorted([*calls, *(offset for offset, _ in syntax.objects)])
        self._literals = sorted(offset for body in syntax.bodies for offset in body.literals)
        self._objects = sorted(offset for offset, is_silent in syntax.objects if not is_silent)
        self._own = {body.name.rpartition("::")[2] for body in syntax.bodies}
        fields = ((start, end, "initialises a member") for start, end in syntax.fields)
        self._fixed = [*self._prescribed(), *self._operands(), *fields]

    def regions(self, body: Body, function: Region, judge: Judge, choice: Choice) -> Iterator[CodeRegion]:
        """Yield the regions of library calls directly in a function, numbered by kind, if their modes are requested."""
        ordinals: Counter[str] = Counter()
        for call, name, mode in self._within(body):
            ordinal = ordinals[mode]
            ordinals[mode] += 1
            if choice.wants(mode):
                region = judge.part(function, mode, name, ordinal, (call.offset, call.end))
                reason = judge.why_remote(body, call.offset) or self._why_not(call, body)
                yield CodeRegion(region, call.offset, call.end, reason)

    def _within(self, body: Body) -> Iterator[tuple[Call, str, str]]:
        """Yield the library calls directly in a function, in order, each with the name and mode of its callee."""
        calls = {
            call.offset: call
            for call in (*body.calls, *body.heads)
            if call.declared >= 0 or (not call.name and call.gives == "dependent")
        }
        is_system = self._unit.is_system
        for _, call in sorted(calls.items()):
            name = call.name or self._unresolved(call)
            if not self._masked.endswith(")", call.offset, call.end) or not (mode := mode_of_call(name)):
                continue
            is_own = call.callee >= 0 and not is_system(call.callee)
            if not is_own and (not call.name or is_system(call.declared) or not is_of_c(name)):
                yield call, name, mode

    def _unresolved(self, call: Call) -> str:
        """Return a callee's name from the text if the parser does not know it, or "" if the unit defines this name."""
        match = _NAME.match(self._masked, call.offset)
        if match is None or match[1] in self._own or group_end(self._masked, match.end() - 1) != call.end:
            return ""
        return match[1]

    def _why_not(self, call: Call, body: Body) -> str:
        fixed = next((why for low, high, why in self._fixed if low <= call.offset < high), "")
        if _within(self._literals, call.offset, call.end):
            fixed = fixed or "an object created in the call's arguments may outlive the call"
        if call.reason or fixed or not call.gives:
            return call.reason or fixed
        if call.offset < body.opening:
            return "outside the body of its function"
        before = self._masked[self._beginning(call.offset) : call.offset]
        is_between_brackets = before.count("[") > before.count("]")
        if is_between_brackets or _CONSTANT.search(before) or self._is_static(call.offset, body):
            return "its value may be needed at compile time"
        if call.gives == "object":
            return "it returns an object"
        is_used = bool(before.strip()) or not _END.match(self._masked, call.end)
        return self._why_outlived(call) if is_used else ""

    def _why_outlived(self, call: Call) -> str:
        """Return why temporary objects forbid a region around a call whose value is used, or "" if none does."""
        arguments = self._masked.find("(", call.offset) + 1
        makes = "{" in self._masked[arguments : call.end] or _within(self._made, arguments, call.end)
        if call.gives == "pointer" and makes and not _FRESH.fullmatch(call.name):
            return "it returns a pointer, perhaps into a temporary in the call's arguments"
        return (
            "a temporary in the call's arguments must outlive the call"
            if _within(self._objects, arguments, call.end)
            else ""
        )

    def _is_static(self, offset: int, body: Body) -> bool:
        """Return whether an offset is in the declaration of a static variable."""
        found = (start for start in body.declarations if start < offset and _STATIC.match(self._masked, start, offset))
        return any(offset < statement_end(self._masked, start) for start in found)

    def _beginning(self, offset: int) -> int:
        """Return the offset at which the statement around an offset begins, after its labels and conditions."""
        start = max(self._masked.rfind(character, 0, offset) for character in ";{}") + 1
        while match := _LEADING.match(self._masked, start, offset):
            after = group_end(self._masked, match.end() - 1) if match[0].endswith("(") else match.end()
            if after > offset:
                break
            start = after
        return start

    def _prescribed(self) -> Iterator[tuple[int, int, str]]:
        """Yield start and end of each text whose form OpenMP or OpenACC prescribes, and why it must not change."""
        for pragma in self._unit.pragmas:
            if _ATOMIC.match(pragma.text):
                yield pragma.end, statement_end(self._masked, pragma.end), "in an atomic statement"
            elif _CANONICAL.match(pragma.text) and (opening := self._masked.find("(", pragma.end)) >= 0:
                yield pragma.end, group_end(self._masked, opening), "in the header of a loop under a directive"

    def _operands(self) -> Iterator[tuple[int, int, str]]:
        for match in _NOT_EVALUATED.finditer(self._masked):
            try:
                yield match.end(), group_end(self._masked, match.end()), "in an unevaluated operand"
            except LexicalError:
                continue


def _within(offsets: list[int], start: int, end: int) -> bool:
    """Return whether any of the sorted offsets is in ``[start, end)``."""
    index = bisect_left(offsets, start)
    return index < len(offsets) and offsets[index] < end
