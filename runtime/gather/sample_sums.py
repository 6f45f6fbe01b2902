"""The samples of the code that threads execute, per process and added up over processes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ...experiment import Region

__all__ = ["CodePlace", "Covered", "SampleSums", "Samples"]

CodePlace = tuple[str, int]
"""A file, empty if unknown, and an address in this file."""


class Covered(NamedTuple):
    """How much of a thread's CPU time the samples cover.

    Attributes:
        seconds: The time that the samples represent.
        lost: Seconds that are known to be missing.
        goes_on: Whether sampling continued until the thread ended; if not, the time after the last sample is missing,
            too.
    """

    seconds: float
    lost: float
    goes_on: bool


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples of a process.

    Attributes:
        signals: The number of samples.
        seconds: The CPU time that the samples represent.
        period: The seconds that each count in ``places`` represents.
        states: State of ``layout.SAMPLING_STATES`` → the number of call-path trees whose threads are in this state.
        crowded: The number of periods that were counted without an address, because the table was full.
        lost: The number of periods that were not counted, because the table was full or the signal came too late.
        places: Region and place in its own code → number of periods. The region is None outside all regions, the place
            is None if the address is unknown.
        by_node: Thread and node → place → number of periods; only for processes without probes.
        by_thread: Thread → how much of its CPU time the samples cover.
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
    """The sums of samples over processes; their size does not grow with the number of processes.

    Attributes:
        signals: The number of samples.
        seconds: The CPU time that the samples represent.
        states: State of ``layout.SAMPLING_STATES`` → the number of threads in this state.
        crowded: Seconds that were counted without an address, because the table was full.
        lost: Seconds that were not counted, because the table was full or the signal came too late.
        places: Region and place → seconds.
        interpreters: Programs that interpret scripts.
        own: Sampled seconds in the programs' own code, outside calls.
        computed: CPU seconds in the programs' own code, by the threads' clocks.
        spent: All CPU seconds, by the threads' clocks.
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
        """Add the CPU time of a process by its threads' clocks.

        Args:
            samples: The samples of the process.
            computed: The CPU seconds in the process's own code.
            spent: All CPU seconds of the process.
        """
        self.own += sum(samples.places.values()) * samples.period
        self.computed += computed
        self.spent += spent

    def add(self, samples: Samples, program: Region | None, interpreter: str) -> None:
        """Add the samples of a process.

        Args:
            samples: The samples of the process.
            program: The region for code outside all regions; None to leave out such code.
            interpreter: The executable of the process if it interprets a script, otherwise empty.
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
        """Return these sums combined with those of another gathering process."""
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
