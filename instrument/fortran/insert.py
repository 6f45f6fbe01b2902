"""Put probes into a Fortran source, on lines of their own, without moving what the compiler says about it.

Every line of the source keeps its number, by a line marker after what is put in, and every statement its column.
A region is entered above its first statement and left below its last. What leaves it in between:

- RETURN: the exits stand before it, the IF around it being made a block; where that is the last statement of a loop,
  RETURN becomes a jump to exits at the procedure's end.
- A jump out of a loop, whatever makes it: after the label stands ``aa_resync``, which closes what is open inside the
  procedure. An EXIT from a construct around a loop is such a jump to the construct's end.
- STOP, and errors: the end of the program closes what is open.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ...experiment.region import Region
from ..line_markers import MarkedText
from .directives import binding, closing, executable
from .form import Form
from .lines import Directive
from .meaning import Kind
from .regions import ConstructRegion, LoopRegion, ProcedureRegion
from .units import Loop, Step

__all__ = ["Names", "insert_probes"]

_PIECE: Final = 48  # characters of a descriptor in a line: all fit into 72 columns
_NOT_TAB: Final = re.compile(r"[^\t]")
_FIXED_PIECE: Final = re.compile(r".{1,66}")
_CONTINUED: Final = "\n     &"
_RETURN_WORD: Final = re.compile(r"\s*(?:[a-z]\s*){6}", re.I)
_HIGHEST_LABEL: Final = 99999

# The order of what is put in at one place.
_LEAVE_LOOP, _RESYNC_BELOW, _ENTER, _RESYNC, _ENTER_LOOP, _RETURN, _END = range(7)


@dataclass(frozen=True, slots=True)
class Names:
    """What the source allows the probes' lines to use.

    Attributes:
        char: The intrinsic that makes a character of its code: ``achar``, or ``char`` where that is taken.
        declares: Whether IMPLICIT NONE (EXTERNAL) wants the probes declared.
    """

    char: str = "achar"
    declares: bool = False


@dataclass(slots=True)
class _Edit:
    """Lines to be put in at an offset.

    Attributes:
        lines: By rank.
        head: What completes the statement before: CONTINUE after a label, a jump as the action of an IF.
        resume: Offset at which the source goes on.
    """

    lines: list[tuple[int, str]] = field(default_factory=list)
    head: str = ""
    resume: int = -1


def insert_probes(text: MarkedText, form: Form, regions: Sequence[ProcedureRegion], names: Names) -> str:
    """Give the text with probes for each region that has no reason against it."""
    edits: dict[int, _Edit] = defaultdict(_Edit)
    for found in regions:
        if not found.reason:
            _ProcedureProbes(form, found, edits, names).put(text.text)
    return _applied(text, edits) if edits else text.text


def _applied(text: MarkedText, edits: dict[int, _Edit]) -> str:
    source = text.text
    pieces = [] if source.startswith("#") else [text.markers[0].text(1), "\n"]
    done = 0
    for offset in sorted(edits):
        edit = edits[offset]
        resume = max(offset, edit.resume)
        line_start = source.rfind("\n", 0, resume) + 1
        pieces.append(source[done:offset])
        if offset > source.rfind("\n", 0, offset) + 1:
            pieces.append(f"{edit.head}\n")
        marker = f"{text.marker(resume).text(text.place(resume).line)}\n"
        pieces.extend(f"{marker}{line}" for _, line in sorted(edit.lines, key=lambda line: line[0]) if line)
        pieces.append(marker)
        pieces.append(_NOT_TAB.sub(" ", source[line_start:resume]))
        done = resume
    return "".join([*pieces, source[done:]])


class _ProcedureProbes:
    """The probes of one procedure."""

    def __init__(self, form: Form, found: ProcedureRegion, edits: dict[int, _Edit], names: Names) -> None:
        self.form = form
        self.found = found
        self.procedure = found.procedure
        self.steps = found.procedure.steps
        self.edits = edits
        self.names = names
        self.loops: dict[int, LoopRegion] = {number: loop for number, loop in enumerate(found.loops) if not loop.reason}
        self.constructs = [each for each in found.constructs if not each.reason]
        self.pads: dict[tuple[int, str], str] = {}  # loop and value of a RETURN → label
        labels = {step.statement.label for step in self.steps}
        self.terminals = {step.meaning.terminal for step in self.steps} - {""}
        self.free_labels = (str(label) for label in range(_HIGHEST_LABEL, 0, -1) if str(label) not in labels)

    def put(self, source: str) -> None:
        self._enter()
        for loop in self.loops.values():
            self._around(loop.region, loop.loop)
        for found in self.constructs:
            if found.construct.loop:
                self._around(found.region, found.construct.loop)
            else:
                self._around_block(found)
        self._arrivals()
        for step in self.steps[:-1]:
            self._return(step, source)
        self._end()

    # ---- where regions begin and end

    def _enter(self) -> None:
        step = self.steps[self.found.first]
        lines = self._call("aa_enter", self.found.region)
        if self.names.declares:
            lines = self._line("external :: aa_enter, aa_exit, aa_resync") + lines
        self._above(step, executable(step.directives), _ENTER, lines)

    def _around(self, region: Region, loop: Loop) -> None:
        first, last = self.steps[loop.first], self.steps[loop.last]
        above = binding(first.directives)
        enter = self._call("aa_enter", region)
        if first.statement.label in self.procedure.jumps:
            self._before(first, _ENTER_LOOP, enter)
        else:
            self._above(first, above, _ENTER_LOOP, enter)
        ends = closing(above, self.steps[loop.last + 1].directives)
        leave = self._call("aa_exit", region)
        if ends:
            self.edits[ends[-1].next_line].lines.append((_LEAVE_LOOP, leave))
        else:
            self._below(last, _LEAVE_LOOP, leave)

    def _around_block(self, found: ConstructRegion) -> None:
        construct = found.construct
        self.edits[construct.first.start].lines.append((_ENTER_LOOP, self._call("aa_enter", found.region)))
        self.edits[construct.last.next_line].lines.append((_LEAVE_LOOP, self._call("aa_exit", found.region)))

    def _arrivals(self) -> None:
        """Close what is open inside the procedure, or the block in it, where a jump out of a loop arrives."""
        arrivals: set[int] = set()
        for step in self.steps:
            label = step.statement.label
            if any(self._leaves_its_loop(source, step) for source in self.procedure.jumps.get(label, ())):
                arrivals.add(step.place)
            if (end := self._end_of_exit(step)) is not None:
                arrivals.add(end)
        for place in arrivals:
            step = self.steps[place]
            lines = self._call("aa_resync", self._block_around(place))
            if step.meaning.kind in {Kind.CONTINUE, Kind.END_CONSTRUCT}:
                self._below(step, _RESYNC_BELOW, lines)
            else:
                self._before(step, _RESYNC, lines)

    def _block_around(self, place: int) -> Region:
        """Give the innermost OpenMP block around a statement, which no jump leaves; else the procedure."""
        around = [
            each.region
            for each in self.constructs
            if not each.construct.loop and each.construct.place <= place < each.construct.end
        ]
        return around[-1] if around else self.found.region

    def _leaves_its_loop(self, source: Step, target: Step) -> bool:
        """Whether a jump leaves an instrumented loop; one to its DO statement does, and enters it again."""
        if source.loop not in self.loops:
            return False
        return target.loop != source.loop or target.place == self.loops[source.loop].loop.first

    def _end_of_exit(self, step: Step) -> int | None:
        """Give the place where the construct ends that an EXIT leaves with a loop in it; None if it is none."""
        action = step.meaning.action or step.meaning
        if action.kind is not Kind.EXIT or step.loop not in self.loops:
            return None
        loop = self.loops[step.loop].loop
        if not action.name or action.name not in self.steps[loop.first].constructs[:-1]:
            return None
        return next(
            after.place
            for after in self.steps[loop.last + 1 :]
            if after.meaning.kind is Kind.END_CONSTRUCT and after.constructs[-1] == action.name
        )

    # ---- ways out of the procedure

    def _return(self, step: Step, source: str) -> None:
        meaning = step.meaning
        if meaning.kind is Kind.RETURN:
            lines = self._leave(step.loop)
            if step.statement.label:
                self._before(step, _RETURN, lines)
            else:
                self._above(step, (), _RETURN, lines)
        elif meaning.action and meaning.action.kind is Kind.RETURN:
            statement = step.statement
            start = statement.at(meaning.action_at)
            written = "".join(source[statement.at(index)] for index in range(meaning.action_at, len(statement.text)))
            value = _RETURN_WORD.sub("", written).strip()
            edit = self.edits[start]
            edit.resume = statement.end if statement.is_last else self.steps[step.place + 1].statement.start
            if statement.label in self.terminals:  # a loop cannot end in a block
                column = start - source.rfind("\n", 0, start)
                edit.head = self._jump(self._pad(step.loop if step.loop in self.loops else -1, value), column)
            else:
                edit.head = "then"
                lines = self._leave(step.loop) + self._line(f"return {value}".rstrip()) + self._line("end if")
                edit.lines.append((_RETURN, lines))

    def _jump(self, label: str, column: int) -> str:
        """Give a GO TO for the place of an action that begins in a column."""
        jump = f"go to {label}"
        if self.form.fixed:
            return f"\n     &{jump}"
        too_long = self.form.line_length and column + len(jump) > self.form.line_length
        return f"&\n&{jump}" if too_long else jump

    def _pad(self, loop: int, value: str) -> str:
        if (loop, value) not in self.pads:
            self.pads[loop, value] = next(self.free_labels)
        return self.pads[loop, value]

    def _leave(self, loop: int) -> str:
        """Leave the loop with this number, if it is instrumented, and the procedure."""
        inner = self._call("aa_exit", self.loops[loop].region) if loop in self.loops else ""
        return inner + self._call("aa_exit", self.found.region)

    def _end(self) -> None:
        last = self.steps[-1]
        before = self.steps[-2].meaning.kind if len(self.steps) > 1 else None
        falls_through = bool(last.statement.label) or before not in {Kind.RETURN, Kind.STOP, Kind.GOTO}
        lines = self._call("aa_exit", self.found.region) if falls_through else ""
        if self.pads and falls_through:
            lines += self._line("return")
        for (loop, value), label in self.pads.items():
            lines += self._line("continue", label) + self._leave(loop) + self._line(f"return {value}".rstrip())
        if last.statement.label:
            self._before(last, _END, lines)
        elif lines:
            self._above(last, (), _END, lines)

    # ---- places

    def _above(self, step: Step, directives: Sequence[Directive], rank: int, lines: str) -> None:
        """Put lines before a statement, its label and its directives."""
        statement = step.statement
        if not statement.is_first:
            self._before(step, rank, lines)
        else:
            offset = min([statement.line, *(directive.start for directive in directives)])
            self.edits[offset].lines.append((rank, lines))

    def _before(self, step: Step, rank: int, lines: str) -> None:
        """Put lines between a label and its statement, or before a statement that does not begin its line."""
        edit = self.edits[step.statement.start]
        edit.head = edit.head or ("continue" if step.statement.label else "")
        edit.lines.append((rank, lines))

    def _below(self, step: Step, rank: int, lines: str) -> None:
        """Put lines after a statement."""
        if step.statement.is_last:
            self.edits[step.statement.next_line].lines.append((rank, lines))
        else:
            self._before(self.steps[step.place + 1], rank, lines)

    # ---- lines

    def _call(self, probe: str, region: Region) -> str:
        descriptor = region.descriptor.encode("utf-8", "surrogateescape").decode("latin-1")
        literals = [self._literal(descriptor[at : at + _PIECE]) for at in range(0, len(descriptor), _PIECE)]
        pieces = [f"{literal}//" for literal in literals] + [f"{self.names.char}(0))"]
        if self.form.fixed:
            return f"      call {probe}(\n" + "".join(f"     &{piece}\n" for piece in pieces)
        return f"call {probe}( &\n" + " &\n".join(f"  &{piece}" for piece in pieces) + "\n"

    def _literal(self, text: str) -> str:
        quoted = text.replace("'", "''")
        return f"'{quoted.replace(chr(92), chr(92) * 2) if self.form.backslash else quoted}'"

    def _line(self, text: str, label: str = "") -> str:
        if self.form.fixed:
            return f"{label:<6}{_CONTINUED.join(_FIXED_PIECE.findall(text))}\n"
        return f"{label} {text}\n"
