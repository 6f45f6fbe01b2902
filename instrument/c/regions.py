"""The code regions of a C translation unit: its functions, and the outermost loops of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pycparser import c_ast

from ...errors import SourceError
from ...experiment.region import Region
from ..code_region import CodeRegion, CodeRegions
from .lexer import LexicalError, group_end, statement_end
from .pragmas import Construct, block_start, constructs, device_text, guard_start
from .preprocessed import Preprocessed
from .sanitise import Digest, sanitise
from .syntax import DigestError, Tree, parse

__all__ = ["find_regions", "readable"]

_LOOPS: Final = (c_ast.For, c_ast.While, c_ast.DoWhile)
_TINY: Final = 20  # statements: up to that a probe may cost as much as the function
_INSTRUCTIONS: Final = frozenset(
    f"{name}{suffix}"
    for name in ("ceil", "copysign", "fabs", "floor", "fma", "fmax", "fmin", "lrint", "rint", "round", "sqrt", "trunc")
    for suffix in ("", "f", "l")
) | {"abs", "labs"}
_STATEMENT: Final = re.compile(r";|\b(?:if|switch)\b")
_EXEMPT: Final = re.compile(r"\b(?:__)?(naked|no_instrument_function|interrupt|signal)(?:__)?\b")
_RESOLVER: Final = re.compile(r'\b(?:__)?ifunc(?:__)?\s*\(\s*"([^"]+)"')
_UNIVERSAL: Final = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_LOCAL_LABELS: Final = re.compile(r"\s*__label__\b")


@dataclass(slots=True)
class _Jumps:
    """Everything in a function that decides where its loops are and what enters them, by offset."""

    loops: list[int] = field(default_factory=list)
    gotos: list[tuple[int, str]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    cases: list[tuple[int, int]] = field(default_factory=list)  # a case label, and its switch
    indirect: list[int] = field(default_factory=list)
    calls: int = 0
    last_calls: set[str] = field(default_factory=set)  # functions whose result is returned as it is


def find_regions(unit: Preprocessed, *, openmp: bool = False) -> CodeRegions:
    """Find the regions of a unit: functions and their outermost loops.

    Args:
        unit: The source, preprocessed.
        openmp: Whether OpenMP's constructs are regions, too.

    Raises:
        SourceError: The unit as a whole cannot be read.
    """
    try:
        digest = sanitise(unit)
        tree = parse(digest.text)
        return _Finder(unit, digest, tree, openmp=openmp).find()
    except (DigestError, LexicalError) as error:
        raise _source_error(unit, error.offset, str(error)) from None


def _source_error(unit: Preprocessed, offset: int, message: str) -> SourceError:
    place = unit.place(offset)
    return SourceError(readable(place.file), place.line, place.column, message)


def readable(latin: str) -> str:
    """Decode a name from the text, whose characters are bytes."""
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


class _Finder:
    """Turn the definitions of one unit into regions."""

    def __init__(self, unit: Preprocessed, digest: Digest, tree: Tree, *, openmp: bool) -> None:
        self.openmp = openmp
        self.unit = unit
        self.digest = digest
        self.tree = tree
        self.device = device_text(unit)
        self.exempt = self._exempt_functions()

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
        jumps = self._jumps(node.body)
        jumps.indirect = [offset for offset in self.digest.indirect_jumps if body < offset < end]
        shared = self._constructs(body, end, jumps)
        first = self.unit.place(self.tree.offset(node.decl))
        region = Region("function", name, readable(first.file), name, 0, first.line, self.unit.place(end - 1).line)
        tail = "calls itself last, which a probe would make use up the stack" if name in jumps.last_calls else ""
        reason = (
            self.exempt.get(name, "")
            or tail
            or (self._why_tiny(node, body, end, jumps) if complete and name != "main" and not shared else "")
        )
        if _LOCAL_LABELS.match(self.unit.masked, body + 1):
            reason = "its body begins with __label__"
        yield CodeRegion(region, block_start(self.unit, body + 1), end, reason)
        for ordinal, loop in enumerate(sorted(jumps.loops)):
            yield self._loop(region, loop, ordinal, jumps)
        for ordinal, construct in enumerate(shared):
            yield self._construct(region, construct, ordinal)

    def _constructs(self, body: int, end: int, jumps: _Jumps) -> list[Construct]:
        """Find OpenMP's constructs in a function, but for those whose loop is a region anyway."""
        found = constructs(self.unit, body, end) if self.openmp else ()
        return [each for each in found if not (each.binds_loop and each.at in jumps.loops)]

    def _construct(self, function: Region, construct: Construct, ordinal: int) -> CodeRegion:
        """Name an OpenMP construct, which no jump enters or leaves."""
        place, last = self.unit.place(construct.at), self.unit.place(construct.end - 1)
        region = Region(
            "parallel",
            f"{construct.words}@{place.line}",
            readable(place.file),
            function.name,
            ordinal,
            place.line,
            max(last.line, place.line) if last.file == place.file else place.line,
        )
        on_device = any(low <= construct.at < high for low, high in self.device)
        reason = self.exempt.get(function.name, "") or ("runs on an accelerator" if on_device else "")
        return CodeRegion(region, construct.start, construct.end, reason)

    def _loop(self, function: Region, loop: int, ordinal: int, jumps: _Jumps) -> CodeRegion:
        end = statement_end(self.unit.masked, loop)
        place = self.unit.place(loop)
        last = self.unit.place(end - 1)
        region = Region(
            "loop",
            f"loop@{place.line}",
            readable(place.file),
            function.name,
            ordinal,
            place.line,
            max(last.line, place.line) if last.file == place.file else place.line,
        )
        reason = self.exempt.get(function.name, "") or self._why_entered(loop, end, jumps)
        return CodeRegion(region, guard_start(self.unit, loop), end, reason)

    def _name(self, node: Any) -> str:
        start = self.tree.offset(node.decl)
        name = self.unit.text[start : start + len(node.decl.name)]
        return _UNIVERSAL.sub(lambda match: chr(int(match.group()[2:], 16)), readable(name))

    def _why_tiny(self, node: Any, body: int, end: int, jumps: _Jumps) -> str:
        statements = len(_STATEMENT.findall(self.unit.masked, body, end))
        if jumps.loops or statements > _TINY:
            return ""
        if not jumps.calls:
            return f"tiny: no loop, no call, at most {_TINY} statements"
        if "inline" in node.decl.funcspec:
            return f"tiny: inline, no loop, at most {_TINY} statements"
        return ""

    def _why_entered(self, start: int, end: int, jumps: _Jumps) -> str:
        """Say why a guard around a loop could be jumped over, or left behind."""

        def inside(offset: int) -> bool:
            return start <= offset < end

        for offset, label in jumps.gotos:
            if not inside(offset) and inside(jumps.labels.get(label, -1)):
                return f"entered by goto {label}"
        if any(inside(case) and not inside(switch) for case, switch in jumps.cases):
            return "entered by a case label of a switch around it"
        taken = [jumps.labels[label] for label in self.digest.address_taken if label in jumps.labels]
        dynamic = [inside(offset) for offset in [*taken, *jumps.indirect]]
        if taken and any(dynamic) and not all(dynamic):
            return "entered or left by a computed goto"
        if any(low <= start < high for low, high in self.device):
            return "runs on an accelerator"
        return ""

    def _jumps(self, body: Any) -> _Jumps:
        jumps = _Jumps()
        pending: list[tuple[Any, bool, int]] = [(body, False, -1)]
        while pending:
            node, in_loop, switch = pending.pop()
            if isinstance(node, _LOOPS) and not _runs_once(node):
                if not in_loop:
                    jumps.loops.append(self.tree.offset(node))
                in_loop = True
            elif isinstance(node, c_ast.Switch):
                switch = self.tree.offset(node)
            elif isinstance(node, (c_ast.Case, c_ast.Default)):
                jumps.cases.append((self.tree.offset(node), switch))
            elif isinstance(node, c_ast.Goto):
                jumps.gotos.append((self.tree.offset(node), node.name))
            elif isinstance(node, c_ast.Label):
                jumps.labels[node.name] = self.tree.offset(node)
            elif isinstance(node, c_ast.Return) and isinstance(node.expr, c_ast.FuncCall):
                jumps.last_calls.add(getattr(node.expr.name, "name", ""))
            elif isinstance(node, c_ast.FuncCall):
                jumps.calls += not _is_instruction(node)
            pending.extend((child, in_loop, switch) for _, child in node.children())
        return jumps

    def _exempt_functions(self) -> dict[str, str]:
        """Find functions that by an attribute, here or at a declaration, must not be touched."""
        text = self.unit.text if "ifunc" in self.unit.text else ""
        exempt = {match.group(1): "resolver of an indirect function" for match in _RESOLVER.finditer(text)}
        if not _EXEMPT.search(self.unit.masked):
            return exempt
        for node in self.tree.root.ext:
            decl = node.decl if isinstance(node, c_ast.FuncDef) else node
            if not isinstance(decl, c_ast.Decl) or not isinstance(decl.type, c_ast.FuncDecl):
                continue
            if match := _EXEMPT.search(self._declaration_text(node, decl)):
                exempt[decl.name] = f"attribute {match.group(1)}"
        return exempt

    def _declaration_text(self, node: Any, decl: Any) -> str:
        masked = self.unit.masked
        name = self.tree.offset(decl)
        start = max(masked.rfind(";", 0, name), masked.rfind("}", 0, name)) + 1
        end = self.tree.offset(node.body) if isinstance(node, c_ast.FuncDef) else masked.find(";", name)
        return masked[start:end]


def _is_instruction(call: Any) -> bool:
    """Tell a call that compilers turn into an instruction or two."""
    name = call.name.name if isinstance(call.name, c_ast.ID) else ""
    return name.startswith("__builtin_") or name in _INSTRUCTIONS


def _runs_once(loop: Any) -> bool:
    """Tell ``do { … } while (0)``, which macros use to be one statement: no loop to a reader."""
    return isinstance(loop, c_ast.DoWhile) and isinstance(loop.cond, c_ast.Constant) and loop.cond.value == "0"
