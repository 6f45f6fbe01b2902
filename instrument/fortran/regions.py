"""The code regions of a Fortran source: its procedures, and the outermost loops of each, or why there is no probe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ...experiment.region import Region
from ..line_markers import MarkedText
from ..plan import Plan
from .constructs import Construct, find_constructs
from .declarations import first_executable
from .directives import binding, device_begins, device_ends
from .form import Form
from .lines import Directive
from .meaning import Kind
from .tiny import why_tiny
from .units import Loop, Procedure, Step

__all__ = ["SAID_REASONS", "ConstructRegion", "LoopRegion", "ProcedureRegion", "find_regions", "leave_out"]

_ENTRY: Final = "has an ENTRY"
_ASSIGNED: Final = "assigned GOTO"
_DEVICE: Final = "runs on an accelerator"
SAID_REASONS: Final = frozenset([_ENTRY, _ASSIGNED])
"""Why procedures of any size are left out, where nothing in them shows it: a build says so."""

_NO_PROBE: Final = re.compile(r"\b(pure|elemental|simple)")
_PARENTHESES: Final = re.compile(r"\([^()]*\)")


@dataclass(slots=True)
class LoopRegion:
    """An outermost loop; a reason says why it is not instrumented."""

    region: Region
    loop: Loop
    reason: str = ""


@dataclass(slots=True)
class ConstructRegion:
    """An OpenMP construct; a reason says why it is not instrumented."""

    region: Region
    construct: Construct
    reason: str = ""


@dataclass(slots=True)
class ProcedureRegion:
    """A procedure, its loops and constructs.

    Attributes:
        region: What its probes say.
        procedure: Its statements.
        first: The place of its first executable statement among them.
        reason: Why it is not instrumented, and then nothing in it is; empty if it is.
        loops: Its outermost loops.
        constructs: OpenMP's, where that makes threads.
    """

    region: Region
    procedure: Procedure
    first: int
    reason: str = ""
    loops: list[LoopRegion] = field(default_factory=list)
    constructs: list[ConstructRegion] = field(default_factory=list)


def find_regions(
    procedures: list[Procedure], text: MarkedText, form: Form, on_device: frozenset[str] = frozenset()
) -> list[ProcedureRegion]:
    """Find the regions of the procedures of a source.

    Args:
        procedures: In order.
        text: The source.
        form: How it is laid out.
        on_device: Names of procedures, in lower case, that run on an accelerator.
    """
    return [_region(procedure, text, form, on_device) for procedure in procedures]


def leave_out(found: ProcedureRegion, plan: Plan) -> None:
    """Leave out what a plan names; a procedure only if all in it goes, too, for it carries their probes."""
    inner: list[LoopRegion | ConstructRegion] = [*found.loops, *found.constructs]
    for each in inner:
        each.reason = each.reason or plan.reason(each.region)
    if not found.reason and all(each.reason for each in inner):
        found.reason = plan.reason(found.region)


def _region(procedure: Procedure, text: MarkedText, form: Form, on_device: frozenset[str]) -> ProcedureRegion:
    first = text.place(procedure.header.start)
    end = procedure.end or procedure.steps[-1].statement
    region = Region(
        "program" if procedure.is_program else "function",
        procedure.name,
        _readable(first.file),
        procedure.name,
        0,
        first.line,
        text.place(end.start).line,
    )
    found = ProcedureRegion(region, procedure, first_executable(procedure), _why_not(procedure, form, on_device))
    device = _on_device(procedure, form)
    for ordinal, loop in enumerate(procedure.loops):
        start = text.place(procedure.steps[loop.first].statement.start)
        name = f"loop@{start.line}"
        last = text.place(procedure.steps[loop.last].statement.start).line
        file = _readable(start.file)
        reason = found.reason or _why_not_loop(procedure, loop, device)
        found.loops.append(
            LoopRegion(Region("loop", name, file, procedure.name, ordinal, start.line, last), loop, reason)
        )
    for ordinal, construct in enumerate(find_constructs(procedure) if form.threads else ()):
        reason = found.reason or (_DEVICE if construct.place in device else "")
        found.constructs.append(ConstructRegion(_construct(procedure, construct, ordinal, text), construct, reason))
    return found


def _construct(procedure: Procedure, construct: Construct, ordinal: int, text: MarkedText) -> Region:
    """Name a construct: by the line of its loop, or of its directive."""
    first, last = construct.first.start, construct.last.start
    if construct.loop:
        first, last = (procedure.steps[each].statement.start for each in (construct.loop.first, construct.loop.last))
    start, end = text.place(first), text.place(last)
    name = f"{construct.words}@{start.line}"
    return Region("parallel", name, _readable(start.file), procedure.name, ordinal, start.line, end.line)


def _readable(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


def _without_parentheses(prefix: str) -> str:
    shorter = _PARENTHESES.sub("", prefix)
    return prefix if shorter == prefix else _without_parentheses(shorter)


def _why_not(procedure: Procedure, form: Form, on_device: frozenset[str]) -> str:
    """Say why a procedure cannot hold probes."""
    words = _without_parentheses(procedure.meaning.word)
    if "impure" not in words and (match := _NO_PROBE.search(words)):
        return f"{match.group(1).upper()} allows no probe inside"
    if procedure.in_submodule:
        return "in a submodule"
    if "attributes" in words or procedure.meaning.name.lower() in on_device:
        return _DEVICE
    kinds = {(step.meaning.action or step.meaning).kind for step in procedure.steps}
    if Kind.ENTRY in kinds:
        return _ENTRY
    return _ASSIGNED if Kind.ASSIGNED_GOTO in kinds else why_tiny(procedure, form)


def _why_not_loop(procedure: Procedure, loop: Loop, device: set[int]) -> str:
    """Say why a loop, in a procedure that holds probes, has none."""
    if procedure.steps[loop.first].meaning.word == "concurrent":
        return "DO CONCURRENT"
    if loop.first in device:
        return _DEVICE
    first = procedure.steps[loop.first]
    if first.statement.label in procedure.jumps and binding(first.directives):
        return f"a directive stands above its label {first.statement.label}"
    for step in procedure.steps[loop.first + 1 : loop.last + 1]:
        for source in procedure.jumps.get(step.statement.label, ()):
            if not loop.first <= source.place <= loop.last:
                return f"entered by a jump to {step.statement.label}"
    return ""


def _on_device(procedure: Procedure, form: Form) -> set[int]:
    """Give the places of the steps that run on an accelerator."""
    places: set[int] = set()
    opened: Directive | None = None
    since = 0
    for place, step in enumerate(procedure.steps):
        for directive in step.directives:
            if opened and device_ends(directive, opened):
                places.update(range(since, place))
                opened = None
            elif device_begins(directive, form):
                opened, since = directive, place
                places.update(_block(procedure, step, place))
    return places


def _block(procedure: Procedure, step: Step, place: int) -> Iterator[int]:
    """Give the places of the loop that begins at a step, which a directive without an END binds to."""
    for loop in procedure.loops:
        if loop.first == place:
            yield from range(loop.first, loop.last + 1)
            return
    yield place
