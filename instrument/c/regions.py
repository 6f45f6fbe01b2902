"""The code regions of a C translation unit: its functions, and the outermost loops of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from pycparser import c_ast

from ...errors import SourceError
from ...experiment.plan.mode import CALL_MODES
from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion, CodeRegions
from .calls import LibraryCalls, call_regions
from .function import Function, find_jumps
from .judge import TINY, Judge, count_statements, readable, resolvers, why_exempt
from .last_calls import calls_of, endless, reached
from .lexer import LexicalError, group_end, statement_end
from .parts import Whole, planned_parts
from .pragmas import Construct, block_start, constructs, guard_start, nested_by_directive
from .preprocessed import Preprocessed
from .sanitise import Digest, sanitise
from .spans import spans
from .syntax import DigestError, Tree, parse

__all__ = ["find_regions"]

_CALLED: Final = re.compile(r"\b\w+(?=\s*\()")
_UNIVERSAL: Final = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_LOCAL_LABELS: Final = re.compile(r"\s*__label__\b")


def find_regions(unit: Preprocessed, choice: Choice, *, openmp: bool) -> CodeRegions:
    """Find the regions of a unit, and say why some cannot be made.

    Args:
        unit: The source, preprocessed.
        choice: What is wanted; regions of other modes need not be found.
        openmp: Whether OpenMP's constructs are regions, too.

    Raises:
        SourceError: The unit as a whole cannot be read.
    """
    try:
        digest = sanitise(unit)
        tree = parse(digest.text)
        return _Finder(unit, digest, tree, choice, openmp=openmp).find()
    except (DigestError, LexicalError) as error:
        raise _source_error(unit, error.offset, str(error)) from None


def _source_error(unit: Preprocessed, offset: int, message: str) -> SourceError:
    place = unit.place(offset)
    return SourceError(readable(place.file), place.line, place.column, message)


class _Finder:
    """Turn the definitions of one unit into regions."""

    def __init__(self, unit: Preprocessed, digest: Digest, tree: Tree, choice: Choice, *, openmp: bool) -> None:
        self.openmp = openmp
        self.choice = choice
        self.calls = LibraryCalls(unit, tree) if choice.wants(*CALL_MODES) else None
        self.unit = unit
        self.digest = digest
        self.tree = tree
        self.judge = Judge(unit, tree, digest, self._exempt_functions())
        self.endless = self._endless_functions()

    def find(self) -> CodeRegions:
        found: list[CodeRegion] = []
        problems: list[SourceError] = []
        unread = {body.body: body for body in self.tree.unread}
        for node in self.tree.root.ext:
            if isinstance(node, c_ast.FuncDef):
                body = self.tree.offset(node.body)
                found.extend(self._function(node, body, complete=body not in unread))
                if body in unread:
                    message = f"the loops of {self._name(node)} are not instrumented: {unread[body].message}"
                    problems.append(_source_error(self.unit, unread[body].offset, message))
        return CodeRegions(tuple(found), tuple(problems))

    def _function(self, node: Any, body: int, *, complete: bool) -> Iterator[CodeRegion]:
        name = self._name(node)
        end = group_end(self.unit.masked, body)
        first = self.unit.place(self.tree.offset(node.decl))
        region = Region("function", name, readable(first.file), name, 0, first.line, self.unit.place(end - 1).line)
        function = Function(region, node, body, end, find_jumps(self.tree, node.body, self.digest, body, end))
        reason = self._why_not(function, complete=complete)
        yields = reason.startswith("tiny")
        yield CodeRegion(region, block_start(self.unit, body + 1), end, reason, yields=yields)
        inner = [*self._loops(function), *self._shared(function), *self._calls(function)]
        if complete:
            inner += planned_parts(self._whole(function), inner, self.choice)
        yield from sorted(inner, key=lambda each: (each.start, -each.end))

    def _whole(self, function: Function) -> Whole:
        return Whole(
            self.unit,
            function.region,
            function.body,
            function.end,
            partial(self.judge.part, function),
            partial(self.judge.why_not, function),
            partial(spans, self.unit, self.tree, function),
        )

    def _why_not(self, function: Function, *, complete: bool) -> str:
        """Say why no guard can, or should, be in a function itself."""
        name = function.region.name
        if _LOCAL_LABELS.match(self.unit.masked, function.body + 1):
            return "its body begins with __label__"
        if name in self.judge.exempt:
            return self.judge.exempt[name]
        if function.node.decl.name in self.endless:
            return "calls itself last, which a probe would make use up the stack"
        is_small = complete and name != "main" and not any(self._constructs(function))
        return self._why_tiny(function) if is_small else ""

    def _loops(self, function: Function) -> Iterator[CodeRegion]:
        """Give the outermost loops, and the inner ones if they are wanted; those are numbered after the outermost."""
        outermost, inner = sorted(function.jumps.loops), sorted(function.jumps.inner)
        shared = {each.at for each in constructs(self.unit, function.body, function.end)} if self.openmp else set()
        for ordinal, loop in enumerate(outermost):
            modes = ("outer-loops", "openmp") if loop in shared else ("outer-loops",)
            yield self._loop(function, loop, ordinal, modes)
        if inner and self.choice.wants("inner-loops"):
            nested = nested_by_directive(self.unit, [*outermost, *inner]) if self.unit.pragmas else set()
            for ordinal, loop in enumerate(inner, len(outermost)):
                if loop not in shared:
                    reason = "a directive binds it to the loop around it" if loop in nested else ""
                    yield self._loop(function, loop, ordinal, ("inner-loops",), reason)

    def _loop(
        self, function: Function, loop: int, ordinal: int, modes: tuple[str, ...], reason: str = ""
    ) -> CodeRegion:
        end = statement_end(self.unit.masked, loop)
        region = self.judge.part(function, "loop", "loop", ordinal, (loop, end))
        reason = reason or self.judge.why_not(function, loop, end)
        return CodeRegion(region, guard_start(self.unit, loop), end, reason, of_modes=modes)

    def _constructs(self, function: Function) -> Iterator[Construct]:
        """Find OpenMP's constructs in a function, but for those whose loop is an outermost one."""
        if self.openmp:
            for each in constructs(self.unit, function.body, function.end):
                if not (each.binds_loop and each.at in function.jumps.loops):
                    yield each

    def _shared(self, function: Function) -> Iterator[CodeRegion]:
        """Give OpenMP's constructs, which no jump enters or leaves; an inner loop among them is one as well."""
        for ordinal, each in enumerate(self._constructs(function)):
            region = self.judge.part(function, "parallel", each.words, ordinal, (each.at, each.end))
            modes = ("openmp", "inner-loops") if each.binds_loop else ("openmp",)
            yield CodeRegion(region, each.start, each.end, self.judge.why_remote(function, each.at), of_modes=modes)

    def _calls(self, function: Function) -> Iterator[CodeRegion]:
        """Give the calls of library functions."""
        if self.calls:
            name, why_not = partial(self.judge.part, function), partial(self.judge.why_remote, function)
            yield from call_regions(self.calls.within(function.node), name, why_not, self.choice)

    def _name(self, node: Any) -> str:
        start = self.tree.offset(node.decl)
        name = self.unit.text[start : start + len(node.decl.name)]
        return _UNIVERSAL.sub(lambda match: chr(int(match.group()[2:], 16)), readable(name))

    def _why_tiny(self, function: Function) -> str:
        if function.jumps.loops or count_statements(self.unit.masked, function.body, function.end) > TINY:
            return ""
        if not function.jumps.calls:
            return f"tiny: no loop, no call, at most {TINY} statements"
        if "inline" in function.node.decl.funcspec:
            return f"tiny: inline, no loop, at most {TINY} statements"
        return ""

    def _endless_functions(self) -> set[str]:
        """Name the functions that recur by last calls alone; only those that text says may recur are looked at."""
        bodies = {node.decl.name: node.body for node in self.tree.root.ext if isinstance(node, c_ast.FuncDef)}
        named = {}
        for name, body in bodies.items():
            start = self.tree.offset(body)
            called = _CALLED.findall(self.unit.masked, start, group_end(self.unit.masked, start))
            named[name] = bodies.keys() & set(called)
        return endless({name: calls_of(bodies[name]) for name in bodies if name in reached(named, name)})

    def _exempt_functions(self) -> dict[str, str]:
        """Find functions that by an attribute, here or at a declaration, must not be touched."""
        exempt = resolvers(self.unit)
        if not why_exempt(self.unit.masked):
            return exempt
        for node in self.tree.root.ext:
            decl = node.decl if isinstance(node, c_ast.FuncDef) else node
            if not isinstance(decl, c_ast.Decl) or not isinstance(decl.type, c_ast.FuncDecl):
                continue
            if reason := why_exempt(self._declaration_text(node, decl)):
                exempt[decl.name] = reason
        return exempt

    def _declaration_text(self, node: Any, decl: Any) -> str:
        masked = self.unit.masked
        name = self.tree.offset(decl)
        start = max(masked.rfind(";", 0, name), masked.rfind("}", 0, name)) + 1
        end = self.tree.offset(node.body) if isinstance(node, c_ast.FuncDef) else masked.find(";", name)
        return masked[start:end]
