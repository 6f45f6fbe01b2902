"""Compute the critical path of a trace: the chain of work that led to each location, and what locations waited for.

The probe library uses the same method while a program runs (docs/design.md, "Critical path"). A chain is a list of
links, each with the work between two points at which chains split or joined. Chains that begin in the same way share
the links of their common beginning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

__all__ = ["Chains", "Link", "Work", "add_work"]

Work = dict[int, float]
"""Key of a call path and location, as in ``Chains.key`` → seconds, or visits."""

_LEAST_SWEPT: Final = 1024  # with fewer links, searching for links to merge is not worthwhile


@dataclass(slots=True, eq=False)
class Link:
    """A link, which also represents the whole chain that ends with it.

    Attributes:
        number: The link's number, greater than that of any earlier link.
        before: The previous link; None at the start.
        length: The length of the whole chain up to this link, in seconds.
        work: The work of this link only.
        visits: The visits of this link only, with the same keys as ``work``.
        holders: The number of locations, messages and later links that refer to this link.
    """

    number: int
    before: Link | None
    length: float
    work: Work = field(default_factory=dict)
    visits: Work = field(default_factory=dict)
    holders: int = 1


class Chains:
    """The chains of all locations.

    Args:
        locations: The number of locations.

    Attributes:
        delayed: Key of a call path and location → seconds for which other locations waited for it.
        waited: Key of a call path and location → seconds for which it waited for other locations.
        delays: (waiting call path, late call path, whether a message ended the wait) → seconds.
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
        """Return the number that identifies a call path at a location."""
        return path * self._locations + location

    def place(self, key: int) -> tuple[int, int]:
        """Return the call path and the location of a key."""
        return divmod(key, self._locations)

    def __contains__(self, location: int) -> bool:
        return location in self._ends

    def start(self, location: int, like: int | None = None) -> None:
        """Begin a location's chain, either empty or with the chain of the location ``like``."""
        if like is not None:
            self._ends[location] = self.hold(like)
        else:
            self._ends[location] = self._link(None, 0.0)

    def length(self, location: int) -> float:
        """Return the length of a location's chain, in seconds."""
        return self._ends[location].length

    def lengthen(self, location: int, work: Work, visits: Work | None = None) -> None:
        """Append work and its visits to a location's chain; the caller must not use the dictionaries afterwards."""
        if not work:
            return
        end = self._ends[location]
        seconds = sum(work.values())
        if end.holders > 1:
            self._shorten(end)
            self._ends[location] = self._link(end, end.length + seconds, work, visits)
        else:
            end.length += seconds
            add_work(end.work, work)
            add_work(end.visits, visits or {})

    def hold(self, location: int) -> Link:
        """Return the current end of a location's chain; the caller must ``release`` it."""
        end = self._ends[location]
        end.holders += 1
        return end

    def release(self, link: Link) -> None:
        """Release a link that ``hold`` returned."""
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
        """Switch a location to another chain if that is longer than its own, and record that the location waited.

        Args:
            location: The waiting location.
            other: The end of the chain for which the location waits.
            path: The call path in which the location waits.
            by_message: Whether the location waits for a message rather than in a collective.
            even_alike: Whether to switch even if both chains are equally long.
        """
        mine = self._ends[location]
        if other is mine or other.length < mine.length or (other.length == mine.length and not even_alike):
            return
        self._blame(self.key(path, location), mine, other, by_message=by_message)
        other.holders += 1
        self._ends[location] = other
        self.release(mine)

    def longest(self) -> tuple[Work, Work]:
        """Return the work and the visits of the longest chain; if several are equally long, of the first one."""
        work: Work = {}
        visits: Work = {}
        at: Link | None = max(self._ends.values(), key=lambda end: end.length, default=None)
        while at is not None:
            add_work(work, at.work)
            add_work(visits, at.visits)
            at = at.before
        return work, visits

    def _blame(self, waiting: int, mine: Link, other: Link, *, by_message: bool) -> None:
        """Attribute a wait to the call paths in which the other chain has more work than ``mine``, at any location."""
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
        """Return the work of each of two chains since their last common link."""
        found: tuple[Work, Work] = {}, {}
        at: list[Link | None] = [one, other]
        while at[0] is not at[1]:
            numbers = [-1 if each is None else each.number for each in at]
            which = int(numbers[1] > numbers[0])
            link = at[which]
            assert link is not None, "the link with the greater number exists"
            self._shorten(link)
            add_work(found[which], link.work)
            at[which] = link.before
        return found

    def _by_path(self, work: Work) -> Mapping[int, float]:
        found: defaultdict[int, float] = defaultdict(float)
        for key, seconds in work.items():
            found[key // self._locations] += seconds
        return found

    def _link(self, before: Link | None, length: float, work: Work | None = None, visits: Work | None = None) -> Link:
        self._alive += 1
        if self._alive > self._sweep_at:
            for each in self._all():
                self._shorten(each)
            self._sweep_at = max(2 * self._alive, _LEAST_SWEPT)
        return Link(next(self._numbers), before, length, work or {}, visits or {})

    def _all(self) -> Iterator[Link]:
        seen: set[int] = set()
        for end in self._ends.values():
            at: Link | None = end
            while at is not None and at.number not in seen:
                seen.add(at.number)
                yield at
                at = at.before

    def _shorten(self, link: Link) -> None:
        """Merge earlier links that no other chain uses into this link, so that links end only where chains split."""
        while (before := link.before) is not None and before.holders == 1:
            link.work, link.visits = _joined(before.work, link.work), _joined(before.visits, link.visits)
            link.before = before.before
            self._alive -= 1


def _joined(one: Work, other: Work) -> Work:
    """Add the smaller of two mappings of work to the larger one, and return the larger one."""
    less, more = sorted((one, other), key=len)
    add_work(more, less)
    return more


def add_work(to: Work, work: Mapping[int, float]) -> None:
    """Add work to ``to``, in place."""
    for key, seconds in work.items():
        to[key] = to.get(key, 0.0) + seconds
