"""The samples of all processes together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ...experiment import Region

__all__ = ["CodePlace", "Covered", "SampleSums", "Samples"]

CodePlace = tuple[str, int]
"""A file, empty if unknown, and an address in it."""


class Covered(NamedTuple):
    """How much of a thread's CPU time samples cover.

    Attributes:
        seconds: The time that they stand for.
        lost: Seconds that are known to be missing.
        goes_on: Whether samples have never ended before the thread; otherwise its later time is missing, too.
    """

    seconds: float
    lost: float
    goes_on: bool


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples of a process.

    Attributes:
        signals: Their number.
        seconds: The CPU time that they stand for.
        period: The time that a count in ``places`` stands for.
        states: State of ``layout.SAMPLING_STATES`` → the number of trees whose threads are in it.
        crowded: Periods whose address had no room.
        lost: Periods that had no room at all, or whose signal came too late.
        places: Region, None outside of all, and place in its own code → number of periods; the place is None if the
            address is unknown.
        by_node: Thread and node → place → number of periods; only of processes without probes.
        by_thread: Thread → how much of its time they cover.
    """

    signals: int
    seconds: float
    period: float
    states: Counter[str]
    crowded: int
    lost: int
    places: Counter[tuple[Region | None, CodePlace | None]]
    by_node: dict[tuple[int, int], Counter[CodePlace | None]] = field(default_factory=dict)
    by_thread: dict[int, Covered] = field(default_factory=dict)


@dataclass
class SampleSums:
    """Sums over processes, in numbers that do not grow with these.

    Attributes:
        signals: The number of samples.
        seconds: The CPU time that they stand for.
        states: State of ``layout.SAMPLING_STATES`` → the number of threads.
        crowded: Seconds whose address had no room.
        lost: Seconds that had no room at all, or whose signal came too late.
        places: Region and place → seconds.
        interpreters: Programs that interpret scripts.
        own: Seconds in the programs' own code, that is outside calls.
        computed: The CPU time there by the threads' clocks.
        spent: Their CPU time in all.
    """

    signals: int = 0
    seconds: float = 0.0
    states: Counter[str] = field(default_factory=Counter)
    crowded: float = 0.0
    lost: float = 0.0
    places: dict[tuple[Region, CodePlace | None], float] = field(default_factory=dict)
    interpreters: set[str] = field(default_factory=set)
    own: float = 0.0
    computed: float = 0.0
    spent: float = 0.0

    def add_clocks(self, samples: Samples, computed: float, spent: float) -> None:
        """Add a process's CPU time by clocks, in its own code and in all."""
        self.own += sum(samples.places.values()) * samples.period
        self.computed += computed
        self.spent += spent

    def add(self, samples: Samples, program: Region | None, interpreter: str) -> None:
        """Add the samples of a process.

        Args:
            samples: Its samples.
            program: The region of what is outside all regions; None if that is not judged.
            interpreter: Its executable if that interprets a script, otherwise empty.
        """
        self.signals += samples.signals
        self.seconds += samples.seconds
        self.states += samples.states
        self.crowded += samples.crowded * samples.period
        self.lost += samples.lost * samples.period
        self.interpreters |= {interpreter} - {""}
        for (region, place), periods in samples.places.items():
            if around := region or program:
                key = around, place
                self.places[key] = self.places.get(key, 0.0) + periods * samples.period

    def joined(self, other: SampleSums) -> SampleSums:
        """Return these sums and those of another process of the gather together."""
        places = {**self.places}
        for key, seconds in other.places.items():
            places[key] = places.get(key, 0.0) + seconds
        return SampleSums(
            self.signals + other.signals,
            self.seconds + other.seconds,
            self.states + other.states,
            self.crowded + other.crowded,
            self.lost + other.lost,
            places,
            self.interpreters | other.interpreters,
            self.own + other.own,
            self.computed + other.computed,
            self.spent + other.spent,
        )
