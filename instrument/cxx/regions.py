"""The code regions of a C++ translation unit: its functions and lambdas, and the outermost loops of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ...errors import SourceError
from ...experiment.region import Region
from ..c.lexer import LexicalError, statement_end
from ..c.pragmas import block_start, device_text, guard_start
from ..c.preprocessed import Preprocessed
from ..code_region import CodeRegion, CodeRegions
from ..line_markers import Place
from .jumps import why_entered
from .scopes import Scope, scopes
from .syntax import Unread, parse

__all__ = ["find_regions"]

_TINY: Final = 20  # statements: up to that a probe may cost as much as the function
_INSTRUCTIONS: Final = frozenset(
    f"{name}{suffix}"
    for name in ("ceil", "copysign", "fabs", "floor", "fma", "fmax", "fmin", "lrint", "rint", "round", "sqrt", "trunc")
    for suffix in ("", "f", "l")
) | {"abs", "labs", "operator[]"}
_STATEMENT: Final = re.compile(r";|\b(?:if|switch)\b")
_EXEMPT: Final = re.compile(
    r"(?:\b__attribute(?:__)?\s*\(\s*\((?:[^()]|\([^()]*\))*?|\[\s*\[[^\]]*?)"
    r"\b(?:__)?(naked|no_instrument_function|interrupt|signal)(?:__)?\b"
)
_RESOLVER: Final = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')
_CONSTANT: Final = re.compile(r"\b(constexpr|consteval)\b")
_EVALUATED: Final = re.compile(r"\b(?:constexpr|constinit|static_assert|_Static_assert)\b")
_SUSPENDED: Final = re.compile(r"\bco_(?:await|return|yield)\b")
_TAIL: Final = re.compile(r"\bmusttail\b")
_INLINE: Final = re.compile(r"\binline\b")
_ONCE: Final = re.compile(r"do\b.*\bwhile\s*\(\s*(?:0|false)\s*\)\s*;\Z", re.DOTALL)
_LAST_ATTRIBUTES: Final = re.compile(r"\]\s*\]\s*\Z")


def find_regions(unit: Preprocessed, flags: tuple[str, ...]) -> CodeRegions:
    """Find the regions of a unit: functions, lambdas and their outermost loops.

    Args:
        unit: The preprocessed text.
        flags: Compiler options that decide what is C++.

    Raises:
        SourceError: The unit as a whole cannot be read.
    """
    try:
        return _Finder(unit, flags).find()
    except LexicalError as error:
        raise _source_error(unit, error.offset, str(error)) from None


def _source_error(unit: Preprocessed, offset: int, message: str) -> SourceError:
    place = unit.place(offset)
    return SourceError(_readable(place.file), place.line, place.column, message)


def _readable(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


class _Finder:
    """Turn the bodies of one unit into regions."""

    def __init__(self, unit: Preprocessed, flags: tuple[str, ...]) -> None:
        self.unit = unit
        runs = list(unit.runs())
        starts = [start for start, _, _ in runs]
        syntax = parse(
            unit.text.encode("latin-1"), flags, lambda offset: runs[max(bisect_right(starts, offset) - 1, 0)][2]
        )
        self.unread = syntax.unread
        self.device = device_text(unit)
        self.scopes = scopes(syntax, unit.masked)
        self.exempt = {match[1] for match in _RESOLVER.finditer(unit.text)} if "ifunc" in unit.text else set()
        self.names: Counter[tuple[str, str]] = Counter()
        self.overloads = Counter((self._file(scope), scope.body.name) for scope in self.scopes if scope.body.name)

    def find(self) -> CodeRegions:
        broken = self._broken()
        problems = []
        found: list[CodeRegion] = []
        functions: dict[int, str] = {}
        for scope in self.scopes:
            outer = functions.get(scope.outer.body.body, "") if scope.outer else ""
            region = self._function(scope, outer)
            functions[scope.body.body] = region.function
            unread = next((broken[each.body.body] for each in scope.chain() if each.body.body in broken), None)
            if unread is None:
                found.extend(self._judged(scope, region))
            elif scope.body.body in broken:
                message = f"{region.name} is not instrumented: {unread.message}"
                problems.append(_source_error(self.unit, unread.offset, message))
        return CodeRegions(tuple(found), tuple(problems))

    def _broken(self) -> dict[int, Unread]:
        """Give the functions that the parser does not understand, by where they begin.

        Raises:
            SourceError: It does not understand what stands outside of functions.
        """
        broken: dict[int, Unread] = {}
        for unread in self.unread:
            around = [scope for scope in self.scopes if scope.body.start <= unread.offset < scope.body.end]
            if not around:
                raise _source_error(self.unit, unread.offset, unread.message)
            broken.setdefault(around[0].body.body, unread)
        return broken

    def _function(self, scope: Scope, outer: str) -> Region:
        body = scope.body
        place, last_line = self._lines(body.name_offset, body.end)
        file = _readable(place.file)
        name = body.name or "::".join([*([outer] if outer else []), "lambda"])
        if self.overloads[place.file, name] > 1:
            name += body.parameters
        self.names[file, name] += 1
        count = self.names[file, name]
        function = f"{name}#{count}" if count > 1 else name
        shown = function if body.name else f"{name}@{place.line}"
        return Region("function", shown, file, function, 0, place.line, last_line)

    def _file(self, scope: Scope) -> str:
        return self.unit.place(scope.body.name_offset).file

    def _judged(self, scope: Scope, region: Region) -> Iterator[CodeRegion]:
        """Give a function and its loops, each with the reason against it."""
        untouchable = self._why_untouchable(scope)
        loops = list(self._outermost(scope))
        reason = (
            untouchable
            or ("its body is a try block" if self.unit.masked[scope.body.body] != "{" else "")
            or self._why_last(scope)
            or ("" if region.name == "main" else self._why_tiny(scope, loops))
        )
        yield CodeRegion(region, block_start(self.unit, scope.body.body + 1), scope.body.end, reason)
        for ordinal, (start, end) in enumerate(loops):
            reason = untouchable or why_entered(self.unit.masked, scope, start, end) or self._why_remote(start)
            place, last_line = self._lines(start, end)
            name = f"loop@{place.line}"
            loop = Region("loop", name, _readable(place.file), region.function, ordinal, place.line, last_line)
            yield CodeRegion(loop, self._guard_start(start), end, reason)

    def _lines(self, start: int, end: int) -> tuple[Place, int]:
        """Give the place where a region begins, and its last line in that file."""
        place, last = self.unit.place(start), self.unit.place(end - 1)
        return place, max(last.line, place.line) if last.file == place.file else place.line

    def _outermost(self, scope: Scope) -> Iterator[tuple[int, int]]:
        """Give start and end of each loop that no other loop of the same function holds."""
        outside = 0
        for start in scope.loops:
            if start < outside:
                continue
            end = statement_end(self.unit.masked, start)
            if not _ONCE.match(self.unit.masked, start, end):
                outside = end
                yield start, end

    def _guard_start(self, loop: int) -> int:
        """Tell where a guard around a loop begins: before its attributes, and pragmas that bind to it."""
        masked = self.unit.masked
        start = guard_start(self.unit, loop)
        while match := _LAST_ATTRIBUTES.search(masked, max(start - 1000, 0), start):
            start = _group_start(masked, match.start() + len(match[0].rstrip()) - 1)
            start = guard_start(self.unit, start)
        return start

    def _why_untouchable(self, scope: Scope) -> str:
        """Say what forbids probes in a function and in its loops."""
        masked = self.unit.masked
        if match := _EXEMPT.search(masked, self._head(scope), scope.body.body):
            return f"attribute {match[1]}"
        if scope.body.name in self.exempt:
            return "resolver of an indirect function"
        if any(scope.holds(match.start()) for match in _SUSPENDED.finditer(masked, scope.body.body, scope.body.end)):
            return "a coroutine"
        if any(scope.holds(match.start()) for match in _TAIL.finditer(masked, scope.body.body, scope.body.end)):
            return "a return that must be a jump"
        return self._why_constant(scope)

    def _why_constant(self, scope: Scope) -> str:
        masked = self.unit.masked
        for each in scope.chain():
            if match := _CONSTANT.search(masked, self._head(each), each.body.body):
                return f"{match[1]}: may run at compile time"
            if not each.body.name and _EVALUATED.search(masked, self._statement(each.body.start), each.body.start):
                return "a lambda that may run at compile time"
        return ""

    def _why_remote(self, start: int) -> str:
        return "runs on an accelerator" if any(low <= start < high for low, high in self.device) else ""

    def _why_last(self, scope: Scope) -> str:
        plain = re.escape(scope.body.name.removesuffix("<...>").rpartition("::")[2])
        call = re.compile(rf"\breturn\s+(?:\w+\s*::\s*)*{plain}\s*(?:<[^<>;]*>\s*)?\([^;]*\)\s*;")
        if plain and call.search(self.unit.masked, scope.body.body, scope.body.end):
            return "calls itself last, which a probe would make use up the stack"
        return ""

    def _why_tiny(self, scope: Scope, loops: list[tuple[int, int]]) -> str:
        body = scope.body
        statements = len(_STATEMENT.findall(self.unit.masked, body.body, body.end))
        if loops or statements > _TINY:
            return ""
        if not any(name not in _INSTRUCTIONS and not name.startswith("__builtin_") for name in scope.calls):
            return f"tiny: no loop, no call, at most {_TINY} statements"
        if body.is_inline or _INLINE.search(self.unit.masked, self._head(scope), body.body):
            return f"tiny: inline, no loop, at most {_TINY} statements"
        return ""

    def _head(self, scope: Scope) -> int:
        """Tell where a function's declaration begins, attributes before it included."""
        return self._statement(scope.body.start) if scope.body.name else scope.body.start

    def _statement(self, offset: int) -> int:
        before = max(self.unit.masked.rfind(character, 0, offset) for character in ";{}")
        return before + 1


def _group_start(masked: str, end: int) -> int:
    """Give the offset of the bracket that the one at ``end`` closes."""
    depth = 0
    for offset in range(end, -1, -1):
        depth += (masked[offset] == "]") - (masked[offset] == "[")
        if depth == 0:
            return offset
    raise LexicalError(end, "']' is not opened")
