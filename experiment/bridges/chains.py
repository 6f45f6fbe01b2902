"""Chains of work that lead to where each location is, and what locations waited for: the critical path of a trace.

As the probe library does while a program runs (docs/design.md, "Critical path"). Chains that have a beginning in common
share it: a chain is a list of links, each with the work between two places where chains parted or met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

__all__ = ["Chains", "Link", "Work"]

Work = dict[int, float]
"""Call path and location, as ``Chains.key`` numbers them → seconds."""

_LEAST_SWEPT: Final = 1024  # links


@dataclass(slots=True, eq=False)
class Link:
    """The end of a chain.

    Attributes:
        number: Greater than that of any link before it.
        before: The link before; None at the start.
        length: Seconds of the whole chain.
        work: What of them this link has.
        holders: How many locations, messages and links behind it refer to it.
    """

    number: int
    before: Link | None
    length: float
    work: Work = field(default_factory=dict)
    holders: int = 1


class Chains:
    """The chains of all locations.

    Args:
        locations: How many there are.

    Attributes:
        delayed: Key → seconds for which it made others wait.
        waited: Key → seconds for which it waited for others.
        delays: Call path that waits, call path that is late, and whether a message ended it → seconds.
    """

    def __init__(self, locations: int) -> None:
        self._locations = max(locations, 1)
        self._numbers = count()
        self._ends: dict[int, Link] = {}
        self._alive = 0
        self._sweep_at = _LEAST_SWEPT
        self.delayed: defaultdict[int, float] = defaultdict(float)
        self.waited: defaultdict[int, float] = defaultdict(float)
        self.delays: defaultdict[tuple[int, int, bool], float] = defaultdict(float)

    def key(self, path: int, location: int) -> int:
        """Number a call path of a location."""
        return path * self._locations + location

    def place(self, key: int) -> tuple[int, int]:
        """Give the call path and the location of a key."""
        return divmod(key, self._locations)

    def __contains__(self, location: int) -> bool:
        return location in self._ends

    def start(self, location: int, like: int | None = None) -> None:
        """Begin the chain of a location, with the chain that another one has, or with nothing."""
        if like is not None:
            self._ends[location] = self.hold(like)
        else:
            self._ends[location] = self._link(None, 0.0)

    def length(self, location: int) -> float:
        """Give the length of a location's chain, in seconds."""
        return self._ends[location].length

    def lengthen(self, location: int, work: Work) -> None:
        """Add work, which from now on belongs to the chain, to its end."""
        if not work:
            return
        end = self._ends[location]
        seconds = sum(work.values())
        if end.holders > 1:
            self._shorten(end)
            self._ends[location] = self._link(end, end.length + seconds, work)
        else:
            end.length += seconds
            _add(end.work, work)

    def hold(self, location: int) -> Link:
        """Give the end of a location's chain, as it is now; ``release`` it once it is of no more use."""
        end = self._ends[location]
        end.holders += 1
        return end

    def release(self, link: Link) -> None:
        """Forget a link that was held."""
        at: Link | None = link
        while at is not None:
            at.holders -= 1
            if at.holders:
                return
            self._alive -= 1
            at = at.before

    def join(
        self, location: int, other: Link, path: int, *, by_message: bool = False, even_alike: bool = False
    ) -> None:
        """Let a location go on with a chain if that is longer than its own: it has waited for it in a call path.

        Args:
            location: Which waits.
            other: The chain that it needs.
            path: Where it waits.
            by_message: Whether a message brings the chain, and not a collective.
            even_alike: Go on with a chain as long as its own, too.
        """
        mine = self._ends[location]
        if other is mine or other.length < mine.length or (other.length == mine.length and not even_alike):
            return
        self._blame(self.key(path, location), mine, other, by_message=by_message)
        other.holders += 1
        self._ends[location] = other
        self.release(mine)

    def longest(self) -> Work:
        """Give the work of the longest of all chains; of several the first."""
        found: Work = {}
        at: Link | None = max(self._ends.values(), key=lambda end: end.length, default=None)
        while at is not None:
            _add(found, at.work)
            at = at.before
        return found

    def _blame(self, waiting: int, mine: Link, other: Link, *, by_message: bool) -> None:
        """Attribute waiting to the call paths in which the other chain is ahead, whatever locations they are on."""
        waited = other.length - mine.length
        if waited <= 0:
            return
        own, late = self._since_they_parted(mine, other)
        behind, whole = self._by_path(own), self._by_path(late)
        ahead = {each: work - behind.get(each, 0.0) for each, work in whole.items() if work > behind.get(each, 0.0)}
        if not ahead:
            return
        scale = waited / sum(ahead.values())
        path = waiting // self._locations
        for key, work in late.items():
            of = key // self._locations
            if of in ahead:
                seconds = scale * ahead[of] * work / whole[of]
                self.delayed[key] += seconds
                self.delays[path, of, by_message] += seconds
        self.waited[waiting] += waited

    def _since_they_parted(self, one: Link, other: Link) -> tuple[Work, Work]:
        """Give the work of two chains since the link that they have in common."""
        found: tuple[Work, Work] = {}, {}
        at: list[Link | None] = [one, other]
        while at[0] is not at[1]:
            numbers = [-1 if each is None else each.number for each in at]
            which = int(numbers[1] > numbers[0])
            link = at[which]
            assert link is not None, "the one with the greater number"
            self._shorten(link)
            _add(found[which], link.work)
            at[which] = link.before
        return found

    def _by_path(self, work: Work) -> Mapping[int, float]:
        found: defaultdict[int, float] = defaultdict(float)
        for key, seconds in work.items():
            found[key // self._locations] += seconds
        return found

    def _link(self, before: Link | None, length: float, work: Work | None = None) -> Link:
        self._alive += 1
        if self._alive > self._sweep_at:
            for each in self._all():
                self._shorten(each)
            self._sweep_at = max(2 * self._alive, _LEAST_SWEPT)
        return Link(next(self._numbers), before, length, {} if work is None else work)

    def _all(self) -> Iterator[Link]:
        seen: set[int] = set()
        for end in self._ends.values():
            at: Link | None = end
            while at is not None and at.number not in seen:
                seen.add(at.number)
                yield at
                at = at.before

    def _shorten(self, link: Link) -> None:
        """Take over the links before that no other chain has: as many remain as places where chains part."""
        while (before := link.before) is not None and before.holders == 1:
            if len(before.work) > len(link.work):
                _add(before.work, link.work)
                link.work = before.work
            else:
                _add(link.work, before.work)
            link.before = before.before
            self._alive -= 1


def _add(to: Work, work: Mapping[int, float]) -> None:
    for key, seconds in work.items():
        to[key] = to.get(key, 0.0) + seconds
