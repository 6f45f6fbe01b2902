"""Insert probes into a Fortran source, on their own lines, without changing positions in the compiler's messages.

A line marker after each insertion preserves line numbers, and every statement keeps its column. Inserted lines have the
number of a line with code, so debuggers stop at the same lines as before. A region is entered above its first statement
and left below its last statement. These statements also leave regions:

- RETURN: exit probes are inserted before it, and a one-line IF around it becomes a block. If the IF is the last
  statement of a loop, RETURN becomes a jump to exit probes at the procedure's end.
- Jumps out of a loop: ``aa_resync`` after the label closes all regions that are open inside the procedure. An EXIT from
  a construct around a loop counts as a jump to the construct's end.
- STOP, and errors: the end of the program closes all open regions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from ...experiment.region import Region
from ..expression import expression
from ..line_markers import MarkedText
from .code_places import CodePlaces
from .directives import binding, closing, executable
from .edits import Edit, Lines, applied, line_marker
from .form import Form
from .jumps import Arrival, Open
from .lines import Directive
from .meaning import Kind
from .regions import ProcedureRegion, SpanRegion
from .units import Step

__all__ = ["Names", "insert_probes"]

_PIECE: Final = 48  # characters of a descriptor per line, so that lines fit into 72 columns
_STATEMENT: Final = 6  # columns before a statement in fixed form
_FIXED_PIECE: Final = expression(r".{1,66}")
_RETURN_WORD: Final = expression(r"\s*(?:[a-z]\s*){6}", re.I)
_HIGHEST_LABEL: Final = 99999

# The order of insertions at the same offset.
_END_IF, _LEAVE_LOOP, _RESYNC_BELOW, _ENTER, _RESYNC, _ENTER_LOOP, _RETURN, _END = range(8)


class Names(NamedTuple):
    """The names that probes may use in a source.

    Attributes:
        char: The intrinsic that converts a code to a character: ``achar``, or ``char`` if the source uses that name.
        declares: Whether IMPLICIT NONE (EXTERNAL) requires declarations of the probes.
    """

    char: str = "achar"
    declares: bool = False


def insert_probes(text: MarkedText, form: Form, regions: Sequence[ProcedureRegion], names: Names) -> str:
    """Return the text with probes for each region whose ``reason`` is empty."""
    edits: dict[int, Edit] = defaultdict(Edit)
    for found in regions:
        if not found.reason or any(not each.reason for each in found.spans):
            _ProcedureProbes(form, found, edits, names, text).put()
    return applied(text, edits) if edits else text.text


class _ProcedureProbes:
    """Inserts the probes of one procedure."""

    def __init__(
        self, form: Form, found: ProcedureRegion, edits: dict[int, Edit], names: Names, text: MarkedText
    ) -> None:
        self.form = form
        self.found = found
        self.procedure = found.procedure
        self.steps = found.procedure.steps
        self.edits = edits
        self.names = names
        self.text = text
        self.opened = Open(found)
        self.code = CodePlaces(found.procedure, form)
        # The regions that a RETURN leaves, and its value as text → the label of exit probes at the procedure's end.
        self.pads: dict[tuple[tuple[Region, ...], str], str] = {}
        labels = {step.statement.label for step in self.steps}
        self.free_labels = (str(label) for label in range(_HIGHEST_LABEL, 0, -1) if str(label) not in labels)

    def put(self) -> None:
        self._enter()
        for span in self.opened.spans:
            self._enter_span(span)
        for span in reversed(self.opened.spans):
            self._leave_span(span)
        self._jumps()
        for step in self.steps[:-1]:
            self._return(step)
        self._end()

    # ---- where regions begin and end

    def _enter(self) -> None:
        step = self.steps[self.found.first]
        lines = [] if self.found.reason else self._call("aa_enter", self.found.region)
        if self.names.declares:
            lines = self._line("external :: aa_enter, aa_exit, aa_resync") + lines
        if lines:
            directives = executable(step.directives)
            self._above(step, Lines(_ENTER, self.code.first(step, directives), lines), directives)

    def _enter_span(self, span: SpanRegion) -> None:
        first = self.steps[span.first]
        enter = self._call("aa_enter", span.region)
        if span.begins:
            inside = first.directives[first.directives.index(span.begins) :]
            self.edits[span.begins.start].lines.append(Lines(_ENTER_LOOP, self.code.first(first, inside), enter))
        elif span.is_call and first.meaning.action:
            self._open_action(first, enter)
        else:
            directives = self._binding(span.first)
            lines = Lines(_ENTER_LOOP, self.code.first(first, directives), enter)
            if first.statement.label in self.procedure.jumps:
                self._before(first, lines)
            else:
                self._above(first, lines, directives)

    def _leave_span(self, span: SpanRegion) -> None:
        last = self.steps[span.last]
        leave = self._call("aa_exit", span.region)
        if span.ends and span.begins:
            opening = self.code.directive([span.begins])
            code = self.code.last(last) if opening is None else opening
            self.edits[span.ends.next_line].lines.append(Lines(_LEAVE_LOOP, code, leave))
        elif span.is_call and last.meaning.action:
            self._close_action(last, leave)
        else:
            lines = Lines(_LEAVE_LOOP, self.code.last(last), leave)
            if ends := self._closing(span.last):
                self.edits[ends[-1].next_line].lines.append(lines)
            else:
                self._below(last, lines)

    def _binding(self, place: int) -> Sequence[Directive]:
        """Return the directives above a statement that bind to its loop, so that no probe may separate them."""
        step = self.steps[place]
        return binding(step.directives) if step.meaning.kind is Kind.DO else ()

    def _closing(self, place: int) -> Sequence[Directive]:
        """Return the directives below a loop's last statement that end the directives bound to the loop.

        If the statement ends several loops, the outermost one counts.
        """
        firsts = [first for first, last in self.procedure.ends.items() if last == place]
        firsts += [loop.first for loop in self.procedure.loops if loop.last == place]
        return closing(self._binding(min(firsts)), self.steps[place + 1].directives) if firsts else ()

    def _open_action(self, step: Step, lines: list[str]) -> None:
        """Turn a one-line IF into a block that begins with ``lines``; ``_close_action`` inserts its end."""
        edit = self.edits[step.statement.at(step.meaning.action_at)]
        edit.head = "then"
        edit.lines.append(Lines(_RETURN, step.statement.end - 1, lines))

    def _close_action(self, step: Step, lines: list[str]) -> None:
        """Insert ``lines`` and END IF after the action of a one-line IF that ``_open_action`` made a block."""
        self._below(step, Lines(_END_IF, step.statement.end - 1, lines + self._line("end if")))

    # ---- jumps

    def _jumps(self) -> None:
        """Insert probes that close the regions that jumps leave, before the jump or at its target."""
        labels = {step.statement.label: step for step in self.steps if step.statement.label}
        arrivals: dict[int, list[str]] = {}
        for step in self.steps:
            leave = [span.region for span in self.opened.left_by_exit(step)]
            for label in step.meaning.jumps:
                target = labels.get(label)
                arrival = self.opened.arrival(step, target) if target else Arrival.NOTHING
                if target and arrival is Arrival.TARGET:
                    left = self.opened.left(step, target)
                    around = [span.region for span in self.opened.around(target) if span not in left]
                    arrivals[target.place] = self._call("aa_resync", [self.found.region, *around][-1])
                elif target and arrival is Arrival.SOURCE:
                    leave = [span.region for span in self.opened.left(step, target)]
            if leave:
                self._before_jump(step, self._exits(leave))
        for place, resync in arrivals.items():
            step = self.steps[place]
            code = self.code.first(step)
            if step.meaning.kind in {Kind.CONTINUE, Kind.END_CONSTRUCT}:
                self._below(step, Lines(_RESYNC_BELOW, code, resync))
            else:
                self._before(step, Lines(_RESYNC, code, resync))

    def _before_jump(self, step: Step, lines: list[str]) -> None:
        if step.meaning.action:
            self._open_action(step, lines)
            self._close_action(step, [])
        else:
            self._before_leaving(step, lines)

    def _before_leaving(self, step: Step, lines: list[str]) -> None:
        """Insert lines before a statement that is a jump or RETURN."""
        put = self._before if step.statement.label else self._above
        put(step, Lines(_RETURN, self.code.first(step), lines))

    def _exits(self, regions: Sequence[Region]) -> list[str]:
        """Return the lines that leave some regions; ``regions`` begins with the outermost one."""
        return [line for region in reversed(regions) for line in self._call("aa_exit", region)]

    # ---- ways out of the procedure

    def _return(self, step: Step) -> None:
        meaning = step.meaning
        if meaning.kind is Kind.RETURN:
            self._before_leaving(step, self._exits(self._open_at(step)))
        elif meaning.action and meaning.action.kind is Kind.RETURN:
            source = self.text.text
            statement = step.statement
            start = statement.at(meaning.action_at)
            written = "".join(source[statement.at(index)] for index in range(meaning.action_at, len(statement.text)))
            value = _RETURN_WORD.sub("", written).strip()
            edit = self.edits[start]
            edit.resume = statement.end if statement.is_last else self.steps[step.place + 1].statement.start
            if self.opened.ends_loop(step):  # the last statement of a loop cannot be a block
                edit.head = self._jump(self._pad(tuple(self._open_at(step)), value), start)
            else:
                edit.head = "then"
                lines = self._exits(self._open_at(step)) + self._line(f"return {value}".rstrip()) + self._line("end if")
                edit.lines.append(Lines(_RETURN, statement.end - 1, lines))

    def _jump(self, label: str, start: int) -> str:
        """Return the text of a GO TO that replaces the action of a one-line IF at offset ``start``."""
        jump = f"go to {label}"
        column = self.text.place(start).column
        continued = f"\n{line_marker(self.text, start)}"
        if self.form.fixed:
            return f"{continued}     &{jump}"
        too_long = self.form.line_length and column + len(jump) > self.form.line_length
        return f"&{continued}&{jump}" if too_long else jump

    def _pad(self, left: tuple[Region, ...], value: str) -> str:
        if (left, value) not in self.pads:
            self.pads[left, value] = next(self.free_labels)
        return self.pads[left, value]

    def _open_at(self, step: Step) -> list[Region]:
        """Return the regions that contain a statement, outermost first."""
        whole = [] if self.found.reason else [self.found.region]
        return [*whole, *(span.region for span in self.opened.at(step.place))]

    def _end(self) -> None:
        last = self.steps[-1]
        before = self.steps[-2].meaning.kind if len(self.steps) > 1 else None
        falls_through = bool(last.statement.label) or before not in {Kind.RETURN, Kind.STOP, Kind.GOTO}
        lines = self._call("aa_exit", self.found.region) if falls_through and not self.found.reason else []
        if self.pads and falls_through:
            lines += self._line("return")
        for (left, value), label in self.pads.items():
            lines += self._line("continue", label) + self._exits(left) + self._line(f"return {value}".rstrip())
        if lines:
            put = self._before if last.statement.label else self._above
            put(last, Lines(_END, self.code.last(last), lines))

    # ---- positions

    def _above(self, step: Step, lines: Lines, directives: Sequence[Directive] = ()) -> None:
        """Insert lines before a statement, its label and its directives."""
        statement = step.statement
        if not statement.is_first:
            self._before(step, lines)
        else:
            offset = min([statement.line, *(directive.start for directive in directives)])
            self.edits[offset].lines.append(lines)

    def _before(self, step: Step, lines: Lines) -> None:
        """Insert lines between a label and its statement, or before a statement in the middle of a line."""
        edit = self.edits[step.statement.start]
        edit.head = edit.head or ("continue" if step.statement.label else "")
        edit.lines.append(lines)

    def _below(self, step: Step, lines: Lines) -> None:
        """Insert lines after a statement."""
        if step.statement.is_last:
            self.edits[step.statement.next_line].lines.append(lines)
        else:
            self._before(self.steps[step.place + 1], lines)

    # ---- lines

    def _call(self, probe: str, region: Region) -> list[str]:
        descriptor = region.descriptor.encode("utf-8", "surrogateescape").decode("latin-1")
        end = f"//{self.names.char}(0))"
        whole = f"call {probe}({self._literal(descriptor)}{end}"
        if not self.form.line_length or _STATEMENT + len(whole) <= self.form.line_length:
            return self._continued([whole])
        literals = [self._literal(descriptor[at : at + _PIECE]) for at in range(0, len(descriptor), _PIECE)]
        return self._continued([f"call {probe}(", *(f"{literal}//" for literal in literals[:-1]), literals[-1], end])

    def _literal(self, text: str) -> str:
        quoted = text.replace("'", "''")
        return f"'{quoted.replace(chr(92), chr(92) * 2) if self.form.backslash else quoted}'"

    def _line(self, text: str, label: str = "") -> list[str]:
        return self._continued(_FIXED_PIECE.findall(text) if self.form.fixed else [text], label)

    def _continued(self, pieces: Sequence[str], label: str = "") -> list[str]:
        """Return the lines of a statement, with one of the pieces on each line."""
        if self.form.fixed:
            return [f"{label:<6}{pieces[0]}", *(f"     &{piece}" for piece in pieces[1:])]
        return " &\n&".join([f"{label} {pieces[0]}".lstrip(), *pieces[1:]]).split("\n")
