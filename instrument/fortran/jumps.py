"""Find the parts of a procedure that jumps leave, and decide where the regions of these parts are closed."""

from __future__ import annotations

from enum import Enum, auto
from functools import cached_property

from .meaning import Kind
from .regions import ProcedureRegion, SpanRegion
from .units import Step

__all__ = ["Arrival", "Open", "leave_alone"]


class Arrival(Enum):
    """Where the parts that a jump leaves are closed."""

    NOTHING = auto()  # the jump leaves no part
    SOURCE = auto()  # before the jump
    TARGET = auto()  # at the jump's target
    NEVER = auto()  # nowhere, so these parts get no probes


class Open:
    """The instrumented parts of a procedure, and the statements in which each is open."""

    def __init__(self, found: ProcedureRegion) -> None:
        self.found = found
        self.procedure = found.procedure
        self.steps = found.procedure.steps
        self.spans = [each for each in found.spans if not each.reason]
        self.terminals = {step.meaning.terminal for step in self.steps} - {""}

    @cached_property
    def _at(self) -> list[tuple[SpanRegion, ...]]:
        at: list[list[SpanRegion]] = [[] for _ in self.steps]
        for span in self.spans:
            for place in range(span.first, span.last + 1):
                at[place].append(span)
        return [tuple(each) for each in at]

    def at(self, place: int) -> tuple[SpanRegion, ...]:
        """Return the parts that contain a statement, even as first or last statement; the outermost part first."""
        return self._at[place]

    def left(self, source: Step, target: Step) -> list[SpanRegion]:
        """Return the parts that a jump from ``source`` to ``target`` leaves.

        A jump to the first statement of a part leaves the part and enters it again.
        """
        stays = self.around(target)
        return [span for span in self.at(source.place) if span not in stays]

    def around(self, target: Step) -> list[SpanRegion]:
        """Return the parts that are open when a jump arrives at its target."""
        return [span for span in self.at(target.place) if span.first != target.place or span.begins]

    def left_by_exit(self, step: Step) -> list[SpanRegion]:
        """Return the parts that EXIT or CYCLE leaves before the end of its construct."""
        action = step.meaning.action or step.meaning
        if action.kind not in {Kind.EXIT, Kind.CYCLE}:
            return []
        places = [
            place
            for place in step.around
            if (self.steps[place].meaning.name == action.name if action.name else self._is_loop(place))
        ]
        return [span for span in self.at(step.place) if span.first > places[-1]] if places else []

    def arrival(self, source: Step, target: Step) -> Arrival:
        """Return where the parts that a jump leaves are closed."""
        left = self.left(source, target)
        if not left:
            return Arrival.NOTHING
        around = [span for span in self.around(target) if span not in left]
        ends_a_loop = target.statement.label in self.terminals or target.meaning.kind is Kind.END_DO
        can_follow = bool(around or not self.found.reason) and not ends_a_loop
        usual = all(span.region.kind == "parallel" or "outer-loops" in span.of_modes for span in left)
        action = source.meaning.action or source.meaning
        if can_follow and usual:
            return Arrival.TARGET
        if action.kind is Kind.GOTO and len(action.targets) == 1 and not self.ends_loop(source):
            return Arrival.SOURCE
        return Arrival.TARGET if can_follow else Arrival.NEVER

    def ends_loop(self, step: Step) -> bool:
        """Return whether a one-line IF is the last statement of a loop, so that it cannot become a block."""
        return step.statement.label in self.terminals

    def _is_loop(self, place: int) -> bool:
        return self.steps[place].meaning.kind is Kind.DO


def leave_alone(found: ProcedureRegion) -> None:
    """Set a reason against probes for each part that a jump leaves in a way that probes cannot record."""
    while _left_alone(Open(found)):
        pass


def _left_alone(opened: Open) -> bool:
    labels = {step.statement.label: step for step in opened.steps if step.statement.label}
    for step in opened.steps:
        for label in step.meaning.jumps:
            target = labels.get(label)
            if target and opened.arrival(step, target) is Arrival.NEVER:
                for span in opened.left(step, target):
                    span.reason = f"left by a jump to {label}"
                return True
        if opened.ends_loop(step) and (left := opened.left_by_exit(step)):
            for span in left:
                span.reason = "left at the last statement of another loop"
            return True
    return False
