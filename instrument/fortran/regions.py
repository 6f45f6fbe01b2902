"""Find the code regions of a Fortran source: procedures and their parts, with reasons for missing probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ...experiment.plan.mode import CALL_MODES
from ...experiment.region import Region
from ..choice import Choice
from ..code_region import CodeRegion
from ..expression import expression
from ..line_markers import MarkedText
from ..size import SHORT_REASON
from .calls import find_calls
from .constructs import Construct, find_constructs
from .declarations import first_executable
from .directives import MARK, binding, binds_together, device_begins, device_ends
from .form import Form
from .lines import Directive
from .meaning import Kind
from .spans import Mark, blocks, find_marks, why_no_probe, why_no_span
from .tiny import Sizes
from .units import Loop, Procedure

__all__ = ["SAID_REASONS", "ProcedureRegion", "SpanRegion", "code_region", "find_regions"]

_ENTRY: Final = "has an ENTRY"
_ASSIGNED: Final = "assigned GOTO"
_DEVICE: Final = "runs on an accelerator"
SAID_REASONS: Final = frozenset([_ENTRY, _ASSIGNED])
"""Reasons that a build reports, because users may not expect them and the procedures may be large."""

_NO_PROBE: Final = expression(r"\b(pure|elemental|simple)")
_PARENTHESES: Final = expression(r"\([^()]*\)")


class SpanRegion:
    """A part of a procedure: a loop, an OpenMP construct, or consecutive statements.

    Attributes:
        region: The region in the probes' descriptor.
        first: Number, within the procedure, of the first statement.
        last: Number of the last statement.
        reason: Why the part is not instrumented; empty if it is.
        of_modes: The modes that the part belongs to; empty for the mode of its kind.
        of_plan: The rule of the plan that created the part: ``merge``, ``split`` or empty.
        is_said: Whether a build reports that the part is not instrumented.
        begins: For a block between two directives, the first directive.
        ends: For a block between two directives, the second directive.
        is_call: Whether the part is a statement, or the action of an IF, with a library call.
    """

    def __init__(self, region: Region, first: int, last: int, reason: str) -> None:
        self.region = region
        self.first = first
        self.last = last
        self.reason = reason
        self.of_modes: tuple[str, ...] = ()
        self.of_plan = ""
        self.is_said = False
        self.begins: Directive | None = None
        self.ends: Directive | None = None
        self.is_call = False

    @property
    def order(self) -> tuple[int, int, bool, int]:
        """The sort key: source order, outer parts before inner ones."""
        return (self.first, -self.last, self.begins is None, self.begins.start if self.begins else 0)


class ProcedureRegion:
    """A procedure and its parts.

    Attributes:
        region: The region in the probes' descriptor.
        procedure: The procedure with its statements.
        first: Number, within the procedure, of the first executable statement.
        forbidden: Why the procedure must not contain probes; empty if it may.
        reason: Why the procedure as a whole has no probe; empty if it has one.
        spans: The parts, in order.
    """

    def __init__(self, region: Region, procedure: Procedure, first: int, *, forbidden: str, reason: str) -> None:
        self.region = region
        self.procedure = procedure
        self.first = first
        self.forbidden = forbidden
        self.reason = reason
        self.spans: list[SpanRegion] = []


def find_regions(
    procedures: list[Procedure], text: MarkedText, form: Form, on_device: frozenset[str], choice: Choice
) -> list[ProcedureRegion]:
    """Return the regions of the procedures in a source.

    Args:
        procedures: The procedures, in order.
        text: The source.
        form: The form of the source.
        on_device: Names of procedures, in lower case, that run on an accelerator.
        choice: The requested regions; regions of other modes need not be found.
    """
    own = frozenset(procedure.meaning.name.lower() for procedure in procedures)
    found = []
    sizes = Sizes(procedures, form)
    for procedure in procedures:
        region = _whole(procedure, text, sizes, on_device)
        region.spans = sorted(_Spans(region, text, form, sizes, choice).find(own), key=lambda each: each.order)
        found.append(region)
    return found


def _whole(procedure: Procedure, text: MarkedText, sizes: Sizes, on_device: frozenset[str]) -> ProcedureRegion:
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
    forbidden = _why_not(procedure, on_device)
    reason = forbidden or sizes.why_small(procedure)
    return ProcedureRegion(region, procedure, first_executable(procedure), forbidden=forbidden, reason=reason)


class _Spans:
    """Finds the parts of one procedure."""

    def __init__(self, whole: ProcedureRegion, text: MarkedText, form: Form, sizes: Sizes, choice: Choice) -> None:
        self.whole = whole
        self.procedure = whole.procedure
        self.steps = whole.procedure.steps
        self.text = text
        self.form = form
        self.sizes = sizes
        self.choice = choice
        self.device = _on_device(whole.procedure, form)

    def find(self, own: frozenset[str]) -> list[SpanRegion]:
        """Return loops, constructs, calls, and marked, merged and split parts.

        ``own`` contains the names of procedures that the source defines, in lower case.
        """
        found = [*self._loops(), *self._constructs()]
        if self.choice.wants(*CALL_MODES):
            found += self._calls(own)
        return [*found, *self._parts(found)]

    def _loops(self) -> Iterator[SpanRegion]:
        """Yield the outermost loops, then the inner loops, if these are requested."""
        outermost = self.procedure.loops
        for ordinal, loop in enumerate(outermost):
            shared = self.form.threads and any(each.sentinel == "omp" for each in self._binding(loop.first))
            span = self._span("loop", "loop", ordinal, loop.first, loop.last)
            span.reason = span.reason or self._why_not_loop(loop)
            span.of_modes = ("outer-loops", "openmp") if shared else ("outer-loops",)
            yield span
        if self.choice.wants("inner-loops"):
            yield from self._inner_loops(len(outermost), {loop.first for loop in outermost})

    def _inner_loops(self, ordinal: int, outermost: set[int]) -> Iterator[SpanRegion]:
        bound = {each.place for each in self._found_constructs() if each.loop}
        together: dict[
            int, int
        ] = {}  # first statement of a loop → number of further nested loops that a directive binds to
        for step in self.steps:
            if step.meaning.kind is not Kind.DO:
                continue
            around = [place for place in step.around if self.steps[place].meaning.kind is Kind.DO]
            left = max(binds_together(self._binding(step.place)) - 1, together.get(around[-1], 0) - 1 if around else 0)
            together[step.place] = left
            if step.place in outermost:
                continue
            last = self.procedure.ends.get(step.place, -1)
            span = self._span("loop", "loop", ordinal, step.place, last if last >= 0 else step.place)
            ordinal += 1
            span.of_modes = ("inner-loops",)
            if around and together.get(around[-1], 0):
                span.reason = span.reason or "a directive binds it to the enclosing loop"
            if last < 0:
                span.reason = span.reason or "shares its last statement with the enclosing loop"
            span.reason = span.reason or self._why_not_loop(Loop(span.first, span.last))
            if step.place not in bound:
                yield span

    def _why_not_loop(self, loop: Loop) -> str:
        reason = _why_not_loop(self.procedure, loop)
        return reason or self.sizes.why_short(self.procedure, loop.first, loop.last)

    def _binding(self, place: int) -> Sequence[Directive]:
        return binding(self.steps[place].directives)

    def _found_constructs(self) -> list[Construct]:
        return find_constructs(self.procedure) if self.form.threads else []

    def _constructs(self) -> Iterator[SpanRegion]:
        """Yield OpenMP's constructs, named by the line of their loop or of their directive."""
        for ordinal, each in enumerate(self._found_constructs()):
            span = self._span("parallel", each.words, ordinal, each.place, each.end - 1)
            if each.loop:
                span.of_modes = ("openmp", "inner-loops")
            else:
                self._between(span, each.first, each.last, each.words)
            yield span

    def _between(self, span: SpanRegion, begins: Directive, ends: Directive, name: str, at: str = "@") -> None:
        """Let a part begin and end with two directives, and name it by the first directive's line."""
        span.begins, span.ends = begins, ends
        first, last = self.text.place(begins.start), self.text.place(ends.start)
        name = f"{name}{at}{first.line}" if at else name
        span.region = span.region._replace(name=name, first_line=first.line, last_line=last.line)

    def _calls(self, own: frozenset[str]) -> Iterator[SpanRegion]:
        """Yield statements with library calls, numbered by kind; at most one in each statement is instrumented."""
        ordinals: Counter[str] = Counter()
        taken: set[int] = set()
        for call in find_calls(self.procedure, own):
            ordinal = ordinals[call.mode]
            ordinals[call.mode] += 1
            if self.choice.wants(call.mode) and call.place not in taken:
                span = self._span(call.mode, call.name, ordinal, call.place, call.place)
                span.reason = span.reason or call.reason
                span.is_call = True
                if not span.reason and self.choice.asks_for(self.code_region(span)):
                    taken.add(call.place)
                yield span

    def _parts(self, found: list[SpanRegion]) -> list[SpanRegion]:
        """Return the parts marked by the user, then those merged by the plan, then blocks of split parts."""
        made: list[SpanRegion] = []
        for mark in find_marks(self.procedure) if self.choice.wants("user") else ():
            span = self._part(made, mark.name or MARK, mark.place, mark.end, mark)
            above = self.steps[mark.place].directives
            if mark.first in above and binding(above[: above.index(mark.first)]):
                span.reason = span.reason or "follows a directive"
            span.is_said = bool(span.reason)
            self._between(span, mark.first, mark.last, mark.name or MARK, at="")
        by_region = {each.region: each for each in found}
        for name, members in self.choice.merged(self.code_region(each) for each in found):
            spans = [by_region[each.region] for each in members]
            first, last = min(each.first for each in spans), max(each.last for each in spans)
            span = self._part(made, name, first, last + 1)
            span.of_plan, span.is_said = "merge", bool(span.reason)
        for first, end in list(self._blocks([*found, *made])):
            span = self._part(made, "block", first, end)
            span.region = span.region._replace(name=f"block@{span.region.first_line}")
            span.of_plan = "split"
        return made

    def _blocks(self, found: list[SpanRegion]) -> Iterator[tuple[int, int]]:
        if "blocks" in self.choice.splits(self.whole.region):
            yield from blocks(self.procedure, self.whole.first, len(self.steps) - 1)
        for each in found:
            if not each.reason and "blocks" in self.choice.splits(each.region):
                is_loop = self.steps[each.first].meaning.kind is Kind.DO and each.begins is None and not each.of_plan
                place = (each.first + 1, each.last) if is_loop else (each.first, each.last + 1)
                yield from blocks(self.procedure, *place)

    def _part(self, made: list[SpanRegion], name: str, first: int, end: int, mark: Mark | None = None) -> SpanRegion:
        span = self._span("user", name, len(made), first, max(end - 1, first))
        span.region = span.region._replace(name=name)
        span.reason = (
            span.reason
            or (mark.problem if mark else "")
            or why_no_span(self.procedure, first, end, mark.first if mark else None)
            or _why_entered(self.procedure, first if mark else first + 1, span.last, first)
            or next((f"overlaps {each.region.name}" for each in made if _crosses(each, span)), "")
        )
        made.append(span)
        return span

    def _span(self, kind: str, name: str, ordinal: int, first: int, last: int) -> SpanRegion:
        start = self.text.place(self.steps[first].statement.start)
        last_line = self.text.place(self.steps[last].statement.start).line
        region = Region(
            kind, f"{name}@{start.line}", _readable(start.file), self.procedure.name, ordinal, start.line, last_line
        )
        return SpanRegion(region, first, last, self.whole.forbidden or (_DEVICE if first in self.device else ""))

    def code_region(self, span: SpanRegion) -> CodeRegion:
        """Return a part in the form that all front ends share."""
        return code_region(self.procedure, span)


def code_region(procedure: Procedure, span: SpanRegion) -> CodeRegion:
    """Return a part of a procedure in the form that all front ends share."""
    first, last = procedure.steps[span.first], procedure.steps[max(span.first, span.last)].statement
    start, end = first.statement.start, last.end
    if span.begins and span.ends:
        start, end = span.begins.start, span.ends.next_line
    elif span.is_call and first.meaning.action:
        start = first.statement.at(first.meaning.action_at)
    return CodeRegion(
        span.region,
        start,
        end,
        span.reason,
        is_said=span.is_said,
        yields=span.reason == SHORT_REASON,
        of_modes=span.of_modes,
        of_plan=span.of_plan,
    )


def _crosses(one: SpanRegion, other: SpanRegion) -> bool:
    if one.reason:
        return False
    return one.first < other.first <= one.last < other.last or other.first < one.first <= other.last < one.last


def _readable(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


def _without_parentheses(prefix: str) -> str:
    shorter = _PARENTHESES.sub("", prefix)
    return prefix if shorter == prefix else _without_parentheses(shorter)


def _why_not(procedure: Procedure, on_device: frozenset[str]) -> str:
    """Return why a procedure cannot have probes, or an empty string if it can."""
    words = _without_parentheses(procedure.meaning.word)
    if "impure" not in words and (match := _NO_PROBE.search(words)):
        return f"{match.group(1).upper()}: cannot call probes"
    if "attributes" in words or procedure.meaning.name.lower() in on_device:
        return _DEVICE
    kinds = {(step.meaning.action or step.meaning).kind for step in procedure.steps}
    if Kind.ENTRY in kinds:
        return _ENTRY
    return _ASSIGNED if Kind.ASSIGNED_GOTO in kinds else ""


def _why_not_loop(procedure: Procedure, loop: Loop) -> str:
    """Return why a loop in a procedure that may have probes cannot have any, or an empty string if it can."""
    first = procedure.steps[loop.first]
    if first.meaning.word == "concurrent":
        return "DO CONCURRENT"
    if first.statement.label in procedure.jumps and binding(first.directives):
        return f"a directive precedes its label {first.statement.label}"
    return why_no_probe(procedure, first) or _why_entered(procedure, loop.first + 1, loop.last, loop.first)


def _why_entered(procedure: Procedure, inner: int, last: int, first: int) -> str:
    """Return a reason if a jump from outside enters a part after its probe, or an empty string if none does.

    Args:
        procedure: The procedure.
        inner: Number of the first statement that no jump may enter.
        last: Number of the part's last statement.
        first: Number of the part's first statement.
    """
    for step in procedure.steps[inner : last + 1]:
        for source in procedure.jumps.get(step.statement.label, ()):
            if not first <= source.place <= last:
                return f"entered by a jump to {step.statement.label}"
    return ""


def _on_device(procedure: Procedure, form: Form) -> set[int]:
    """Return the numbers of the statements that run on an accelerator."""
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
                places.update(_block(procedure, place))
    return places


def _block(procedure: Procedure, place: int) -> Iterator[int]:
    """Yield the numbers of the statements in the loop at ``place``, to which a directive without an END binds."""
    outermost = next((loop.last for loop in procedure.loops if loop.first == place), place)
    yield from range(place, procedure.ends.get(place, outermost) + 1)
