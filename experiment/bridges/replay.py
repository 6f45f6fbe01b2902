"""Replay the messages and collectives of a trace to build the chains of work.

Operations are replayed in order of time. If an operation depends on another one that has not been replayed yet, it is
queued, together with all later operations of its location.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Literal

from .chains import Chains, Link, Work

__all__ = ["Collective", "Meeting", "Moment", "Needs", "Replay", "UnsynchronisedError"]

Needs = Literal["everyone", "root", "all_to_root", "lower", "nobody"]
"""The ranks for which a rank waits in a collective: all; the root; all, if it is the root; all lower ranks; none."""

_MOST_WAITING: Final = 2_000_000  # maximum number of waiting operations; each takes about 300 bytes


class UnsynchronisedError(Exception):
    """Raised if, according to the ranks' clocks, something arrived before it was sent."""


@dataclass(slots=True, eq=False)
class Moment:
    """The state of a location when it performs an operation.

    Attributes:
        time: The time, in seconds.
        path: The location's call path.
        work: The location's work since its previous operation.
        visits: The visits in which it did this work.
    """

    time: float
    path: int
    work: Work
    visits: Work = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Operation:
    """An operation of a location to be replayed: work, a send, a receive, or entering or leaving a collective."""

    moment: Moment
    act: Callable[[int, _Operation], bool]
    what: tuple[Hashable, ...] = ()
    meeting: Meeting | None = None


@dataclass(slots=True, eq=False)
class Meeting:
    """A collective that some members have entered.

    Attributes:
        came: Rank in the communicator → its chain and the time when it entered.
        left: The number of members that have left.
        waiting: Locations that wait for other members.
        longest: The longest of all members' chains, and the time at which the last member entered; None until all
            members have entered.
    """

    came: dict[int, tuple[Link, float]] = field(default_factory=dict)
    left: int = 0
    waiting: list[int] = field(default_factory=list)
    longest: tuple[Link, float] | None = None


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective, as recorded by one of its members.

    Attributes:
        kind: The communicator, the operation, and whether it blocks; collectives of one kind match in order.
        needs: The members whose work this member needs.
        size: The number of members.
        rank: This member's rank.
        root: The root's rank.
    """

    kind: tuple[Hashable, ...]
    needs: Needs
    size: int
    rank: int
    root: int


class Replay:
    """Extends chains of work by replaying messages and collectives.

    Args:
        chains: The locations' chains, already started.

    Attributes:
        messages: The number of messages received, plus the number of times that a member left a collective.
        lost: Whether replaying stopped because too many operations were queued.
    """

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._queues: dict[int, deque[_Operation]] = {}
        self._ready: list[int] = []
        self._queued = 0
        self._sent: defaultdict[Hashable, deque[tuple[Link, float]]] = defaultdict(deque)
        self._awaited: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._begun: dict[tuple[int, Hashable], tuple[Link, float]] = {}
        self._turns: defaultdict[tuple[Hashable, ...], int] = defaultdict(int)
        self._meetings: dict[tuple[Hashable, ...], Meeting] = {}
        self.messages = 0
        self.lost = False

    def work(self, location: int, moment: Moment) -> None:
        """Record the work of a location up to a moment."""
        self._add(location, _Operation(moment, self._nothing))

    def send(self, location: int, moment: Moment, channel: Hashable) -> None:
        """Record that a location sends a message; messages in one channel arrive in order."""
        self._add(location, _Operation(moment, self._send, (channel,)))

    def receive(self, location: int, moment: Moment, channel: Hashable) -> None:
        """Record that a location has received a message."""
        self._add(location, _Operation(moment, self._receive, (channel,)))

    def begin(self, location: int, moment: Moment, request: Hashable = None) -> None:
        """Record that a location enters a collective."""
        self._add(location, _Operation(moment, self._begin, (request,)))

    def end(self, location: int, moment: Moment, collective: Collective, request: Hashable = None) -> None:
        """Record that a location leaves the collective that it entered."""
        self._add(location, _Operation(moment, self._end, (collective, request)))

    @property
    def in_flight(self) -> int:
        """The number of messages that were sent but not received."""
        return sum(map(len, self._sent.values()))

    @property
    def waiting(self) -> int:
        """The number of waiting locations."""
        return len(self._queues)

    def _add(self, location: int, operation: _Operation) -> None:
        if self.lost:
            return
        queue = self._queues.get(location)
        if queue is not None:
            queue.append(operation)
            self._queued += 1
            self.lost = self._queued > _MOST_WAITING
            return
        self._run(location, deque([operation]))
        while self._ready:
            at = self._ready.pop()
            waited = self._queues.pop(at)
            self._queued -= len(waited)
            self._run(at, waited)

    def _run(self, location: int, queue: deque[_Operation]) -> None:
        while queue:
            operation = queue[0]
            self._chains.lengthen(location, operation.moment.work, operation.moment.visits)
            operation.moment.work = {}
            if not operation.act(location, operation):
                self._queues[location] = queue
                self._queued += len(queue)
                return
            queue.popleft()

    @staticmethod
    def _nothing(_location: int, _operation: _Operation) -> bool:
        return True

    def _send(self, location: int, operation: _Operation) -> bool:
        channel = operation.what[0]
        self._sent[channel].append((self._chains.hold(location), operation.moment.time))
        self._ready.extend(self._awaited.pop(channel, ()))
        return True

    def _receive(self, location: int, operation: _Operation) -> bool:
        channel = operation.what[0]
        sent = self._sent.get(channel)
        if not sent:
            self._awaited[channel].append(location)
            return False
        link, time = sent.popleft()
        if not sent:
            del self._sent[channel]
        self._take(location, operation, link, time, by_message=True)
        self._chains.release(link)
        self.messages += 1
        return True

    def _begin(self, location: int, operation: _Operation) -> bool:
        key = location, operation.what[0]
        if before := self._begun.pop(key, None):  # an earlier collective that is no longer followed
            self._chains.release(before[0])
        self._begun[key] = self._chains.hold(location), operation.moment.time
        return True

    def _end(self, location: int, operation: _Operation) -> bool:
        collective, request = operation.what
        assert isinstance(collective, Collective), "end operations contain a collective"
        if operation.meeting is None:
            operation.meeting = self._come(location, operation, collective, request)
        meeting = operation.meeting
        if not _is_there(meeting, collective):
            meeting.waiting.append(location)
            return False
        needed = _needed(meeting, collective)
        if needed is not None:
            self._take(location, operation, *needed, even_alike=collective.needs == "everyone")
        meeting.left += 1
        self.messages += 1
        if meeting.left == collective.size:
            for link, _ in meeting.came.values():
                self._chains.release(link)
        return True

    def _come(self, location: int, operation: _Operation, collective: Collective, request: Hashable) -> Meeting:
        """Return this member's next meeting of the collective's kind, after entering it."""
        turns = (*collective.kind, collective.rank)
        key = (*collective.kind, self._turns[turns])
        self._turns[turns] += 1
        meeting = self._meetings.setdefault(key, Meeting())
        begun = self._begun.pop((location, request), None)
        meeting.came[collective.rank] = begun or (self._chains.hold(location), operation.moment.time)
        if len(meeting.came) == collective.size:
            del self._meetings[key]  # members that have not left yet hold references to it
        self._ready.extend(meeting.waiting)
        meeting.waiting.clear()
        return meeting

    def _take(self, location: int, operation: _Operation, link: Link, time: float, **how: bool) -> None:
        if time > operation.moment.time:
            raise UnsynchronisedError(_written(time - operation.moment.time))
        self._chains.join(location, link, operation.moment.path, **how)


def _written(seconds: float) -> str:
    scale, unit = next((each for each in ((1.0, "s"), (1e3, "ms")) if seconds * each[0] >= 1), (1e6, "µs"))
    return f"{seconds * scale:.3g} {unit}"


def _is_there(meeting: Meeting, collective: Collective) -> bool:
    """Return whether all members whose work this member needs have arrived."""
    came = meeting.came
    match collective.needs:
        case "everyone":
            return len(came) == collective.size
        case "root":
            return collective.root in came
        case "all_to_root":
            return collective.rank != collective.root or len(came) == collective.size
        case "lower":
            return all(rank in came for rank in range(collective.rank))
    return True


def _needed(meeting: Meeting, collective: Collective) -> tuple[Link, float] | None:
    """Return the longest chain of the members that a member needs, and the time at which the last of them arrived.

    Return None if the member needs no other member.
    """
    match collective.needs:
        case "everyone":
            if meeting.longest is None:
                meeting.longest = _longest(meeting, range(collective.size))
            return meeting.longest
        case "root":
            return meeting.came[collective.root]
        case "all_to_root" if collective.rank == collective.root:
            return _longest(meeting, range(collective.size))
        case "lower" if collective.rank > 0:
            return _longest(meeting, range(collective.rank))
    return None


def _longest(meeting: Meeting, ranks: range) -> tuple[Link, float]:
    """Return the longest chain (in case of a tie, the lowest rank's), and the time at which the last rank arrived."""
    came = [meeting.came[rank] for rank in ranks]
    return max(came, key=lambda each: each[0].length)[0], max(time for _, time in came)
