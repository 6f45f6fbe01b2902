"""Why a guard may not be in a function, or around a part of it, and what such a part is called."""

from __future__ import annotations

import re
from typing import Final

from ...experiment.region import Region
from ..c.judge import readable, resolvers, why_exempt
from ..c.lexer import statement_end
from ..c.pragmas import device_text
from ..c.preprocessed import Preprocessed
from ..c.spans import Block, Spans
from ..line_markers import Place
from .jumps import has_jumps, why_entered
from .scopes import Scope
from .syntax import Call

__all__ = ["Judge"]

_TEXT: Final = re.compile(r"\S")
_CONSTANT: Final = re.compile(r"\b(constexpr|consteval)\b")
_EVALUATED: Final = re.compile(r"\b(?:constexpr|constinit|static_assert|_Static_assert)\b")
_SUSPENDED: Final = re.compile(r"\bco_(?:await|return|yield)\b")
_TAIL: Final = re.compile(r"\bmusttail\b")
_INLINE: Final = re.compile(r"\binline\b")
_RETURNED: Final = re.compile(
    r"\breturn\b([^;{}]*(?:\?|:|,|&&|\|\|))?(?:\s*(?:\w+_cast\s*<[^;{}()]*>\s*)?\(|\s*\([\w\s:*]+\))*\s*\Z"
)
_END_OF_RETURNED: Final = re.compile(r"[\s)]*(?::[^;{}]*)?;")
_STATEMENT: Final = re.compile(r"(?:[;{}]|\belse|\bif\s*\([^;{}]*\))\s*\Z")
_NOTHING: Final = re.compile(r"[\s;}]*")
_RETURN: Final = re.compile(r"return\s*;")
_ELSE: Final = re.compile(r"else\b")


class Judge:
    """Judge the functions of a unit, and their parts.

    Args:
        unit: The text.
        literal_guards: Whether guards may be in what compilers run.
    """

    def __init__(self, unit: Preprocessed, *, literal_guards: bool = False) -> None:
        self.unit = unit
        self._literal_guards = literal_guards
        self._masked = unit.masked
        self._device = device_text(unit)
        self._resolvers = resolvers(unit)

    def lines(self, start: int, end: int) -> tuple[Place, int]:
        """Give the place where a text begins, and its last line in that file."""
        if self.unit.text[start].isspace() and (match := _TEXT.search(self._masked, start, end)):
            start = match.start()
        place, last = self.unit.place(start), self.unit.place(max(end - 1, start))
        return place, max(last.line, place.line) if last.file == place.file else place.line

    def part(
        self, function: Region, kind: str, name: str, ordinal: int, place: tuple[int, int], *, by_line: bool = True
    ) -> Region:
        """Name a part of a function, given the offsets of its text, by the line on which that begins."""
        first, last_line = self.lines(*place)
        name = f"{name}@{first.line}" if by_line else name
        return Region(kind, name, readable(first.file), function.function, ordinal, first.line, last_line)

    def spans(self, scope: Scope) -> Spans:
        """Look through a function for what parts of it there may be."""
        ends = {end: start for start, end in sorted(scope.blocks, reverse=True)}
        switched = {ends.get(end, -1) for _, end in scope.switches}
        innermost: dict[int, list[int]] = {start: [] for start, _ in scope.blocks}
        for offset in scope.declarations:
            around = [start for start, end in scope.blocks if start < offset < end]
            if around:
                innermost[max(around)].append(offset)
        blocks = [Block(start, end, tuple(innermost[start]), start in switched) for start, end in scope.blocks]
        return Spans(self.unit, blocks, [], has_jumps=has_jumps(self._masked, scope))

    def why_untouchable(self, scope: Scope) -> str:
        """Say what forbids probes in a function and in all of its parts."""
        masked = self._masked
        if reason := why_exempt(masked, self._head(scope), scope.body.body) or self._resolvers.get(scope.body.name):
            return reason
        if any(scope.holds(match.start()) for match in _SUSPENDED.finditer(masked, scope.body.body, scope.body.end)):
            return "a coroutine"
        if any(scope.holds(match.start()) for match in _TAIL.finditer(masked, scope.body.body, scope.body.end)):
            return "a return that must be a jump"
        return self._why_constant(scope)

    def why_not(self, scope: Scope, start: int, end: int) -> str:
        """Say why a guard around statements could be jumped over, or left behind, or may not be there at all."""
        return self.why_untouchable(scope) or why_entered(self._masked, scope, start, end) or self.why_remote(start)

    def why_remote(self, start: int) -> str:
        """Say why no guard may be at a place."""
        return "runs on an accelerator" if any(low <= start < high for low, high in self._device) else ""

    def why_last(self, scope: Scope) -> str:
        """Say why a function must end with a jump to what it calls."""
        itself = [call for call in scope.calls if self._is_itself(call, scope)]
        if itself and all(self._is_last(call, scope) for call in itself):
            return "calls itself last, which a probe would make use up the stack"
        return ""

    def _is_itself(self, call: Call, scope: Scope) -> bool:
        """Tell a call of the function that it stands in; before instantiation its name must do."""
        if call.named >= 0 or call.declared >= 0:
            return call.named == scope.body.name_offset
        plain = scope.body.name.removesuffix("<...>").rpartition("::")[2]
        # A member, all.push_back(x), is of another class.
        words = re.compile(
            rf"(?:[^(),;{{}}]*(?:->|::)|\(\s*\*[^()]*\)\s*\.)?\s*{re.escape(plain)}\s*(?:<[^<>;]*>\s*)?\("
        )
        return bool(plain and words.match(self._masked, call.offset, call.end))

    def _is_last(self, call: Call, scope: Scope) -> bool:
        """Tell a call behind which nothing is done."""
        masked = self._masked
        before = masked[scope.body.body : call.offset]
        if match := _RETURNED.search(before):
            beside = match[1] or ""
            return beside.count("(") == beside.count(")") and bool(_END_OF_RETURNED.match(masked, call.end))
        if not _STATEMENT.search(before) or masked[call.end : scope.body.end].lstrip()[:1] != ";":
            return False
        if any(start < call.offset < statement_end(masked, start) for start in scope.loops):
            return False
        at = self._behind(call.end)
        while at < scope.body.end and (found := _ELSE.match(masked, at)):
            at = self._behind(statement_end(masked, found.end()))
        return at >= scope.body.end or bool(_RETURN.match(masked, at))

    def _behind(self, offset: int) -> int:
        """Skip what only ends statements and blocks."""
        match = _NOTHING.match(self._masked, offset)
        return match.end() if match else offset

    def is_inline(self, scope: Scope) -> bool:
        """Tell a function that compilers are asked to put into its callers."""
        body = scope.body
        return body.is_inline or bool(_INLINE.search(self._masked, self._head(scope), body.body))

    def _why_constant(self, scope: Scope) -> str:
        masked = self._masked
        for each in scope.chain():
            if match := _CONSTANT.search(masked, self._head(each), each.body.body):
                return f"{match[1]}: may run at compile time"
            if not each.body.name and self._is_evaluated(each):
                return "a lambda that may run at compile time"
        return ""

    def _is_evaluated(self, scope: Scope) -> bool:
        """Tell whether a lambda may be in a constant expression, or, outside of functions, make a constant."""
        if scope.outer is None and not self._literal_guards:
            return True
        return bool(_EVALUATED.search(self._masked, self._statement(scope.body.start), scope.body.start))

    def _head(self, scope: Scope) -> int:
        """Tell where a function's declaration begins, attributes before it included."""
        return self._statement(scope.body.start) if scope.body.name else scope.body.start

    def _statement(self, offset: int) -> int:
        return max(self._masked.rfind(character, 0, offset) for character in ";{}") + 1
