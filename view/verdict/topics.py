"""What lines of a finding are about: a cause, and what to try against it, are printed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Final, NamedTuple

__all__ = ["OF_ADVICE", "Reason", "Section", "Topic", "sections"]


class Topic(StrEnum):
    """What a line is about."""

    UNEVEN = auto()  # ranks have different work, or differ in speed
    ORDER = auto()  # who waits for whom
    TRANSFER = auto()
    FILES = auto()
    MISSES = auto()
    FAULTS = auto()
    ALLOCATION = auto()
    INSTRUCTIONS = auto()


# What each kind of advice from the source may be against, the likeliest first.
OF_ADVICE: Final = {
    "order of loops": (Topic.MISSES,),
    "indirection": (Topic.MISSES,),
    "repeated work": (Topic.INSTRUCTIONS, Topic.ALLOCATION, Topic.FAULTS),
    "input and output": (Topic.FILES,),
    "messages": (Topic.TRANSFER, Topic.ORDER),
    "pipeline": (Topic.ORDER,),
    "division of work": (Topic.UNEVEN, Topic.ORDER),
    "threads": (Topic.UNEVEN, Topic.ORDER),
}


class Reason(NamedTuple):
    """A line that explains a finding."""

    line: str
    topic: Topic


@dataclass(frozen=True)
class Section:
    """The lines of a topic: why, what to try against that, and the rest."""

    topic: Topic
    why: list[str] = field(default_factory=list)
    tries: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)

    @property
    def is_cause(self) -> bool:
        """Whether it says why, and not what a region executes, or who waits."""
        return bool(self.why) and self.why[0].startswith("why")


def sections(reasons: Sequence[Reason], tries: Sequence[tuple[str, Sequence[Topic]]], *, uneven: bool) -> list[Section]:
    """Return the lines by topic, the main one first, then causes; each has a reason, or something to try.

    Args:
        reasons: The main one first.
        tries: Each with its topics, the likeliest first; the surest first.
        uneven: Whether the finding is that ranks have different work, for which no reason may be known.
    """
    found: dict[Topic, Section] = {Topic.UNEVEN: Section(Topic.UNEVEN)} if uneven else {}
    for line, topic in reasons:
        of = found.setdefault(topic, Section(topic))
        (of.why if not of.why or line.startswith(("why", "uncertain")) else of.more).append(line)
    for line, topics in tries:
        of_one = next((each for each in topics if each in found), topics[0])
        found.setdefault(of_one, Section(of_one)).tries.append(line)
    said = [each for each in found.values() if each.why or each.tries]
    return [*said[:1], *sorted(said[1:], key=lambda each: not each.is_cause)]
