"""The critical path of an OTF2 archive, found by replaying its records of messages, collectives and teams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..trace.otf2.events import Take
from ..trace.otf2.history import NOWHERE
from ..trace.otf2.library import name_of
from .chains import Chains, Work, add_work
from .replay import Collective, Moment, Needs, Replay, UnsynchronisedError

__all__ = ["ArchivePath", "OfPlaces"]

# Name of a collective in OTF2_CollectiveOp → the members whose work each member needs; in all other collectives, each
# member needs all members. As in our own runs, operations that free a communicator are not followed.
_NEEDS: Final[Mapping[str, Needs]] = {
    "BCAST": "root",
    "SCATTER": "root",
    "SCATTERV": "root",
    "GATHER": "all_to_root",
    "GATHERV": "all_to_root",
    "REDUCE": "all_to_root",
    "SCAN": "lower",
    "EXSCAN": "lower",
    "DESTROY_HANDLE": "nobody",
    "DEALLOCATE": "nobody",
    "DESTROY_HANDLE_AND_DEALLOCATE": "nobody",
}
OfPlaces = Mapping[tuple[int, int], float]
"""Call path, and a location's number in the archive → seconds, or visits."""

_UNKNOWN: Final = "the critical path is not known: "


class _Group(NamedTuple):
    """The members of a communicator: rank → process, and process → rank."""

    members: Sequence[int]
    ranks: Mapping[int, int]


class ArchivePath:
    """Follows messages, collectives and teams of threads, one event at a time.

    Args:
        definitions: The archive's definitions.
        worked: Returns a location's work by call path between the previous call of this function and a given time, and
            the visits in which this work was done.
        where: Returns the current call path of a location.
    """

    def __init__(
        self,
        definitions: Any,
        worked: Callable[[int, float], tuple[Mapping[int, float], Mapping[int, float]]],
        where: Callable[[int], int],
    ) -> None:
        self._worked = worked
        self._where = where
        self._process = {each._ref: each.group._ref for each in definitions.locations}
        self._number = {reference: number for number, reference in enumerate(self._process)}
        self._threads: defaultdict[int, list[int]] = defaultdict(list)
        for location, process in self._process.items():
            self._threads[process].append(location)
        self._groups, self._world = _groups(definitions)
        self._operations = _operations()
        self._probed: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._chains = Chains(len(self._process))
        self._replay = Replay(self._chains)
        self._teams: defaultdict[int, list[float]] = defaultdict(list)  # location → its work in each of its open teams
        self._of_teams: Work = {}
        self._stopped = ""
        for location in self._world:
            self._chains.start(self._number[location])

    def takes(self) -> Mapping[str, Take]:
        """Map each kind of event to its handler, a function of the location, the seconds and the event's numbers."""
        return {
            "MpiSend": self._sent,
            "MpiIsend": self._sent,
            "MpiRecv": self._received,
            "MpiIrecv": self._received,
            "MpiProbe": self._matched,
            "MpiMrecv": self._received_matched,
            "MpiImrecvRequest": self._requested,
            "MpiImrecv": lambda location, time, request, size: self._received_matched(location, time, ~request, size),
            "MpiCollectiveBegin": self._begun,
            "MpiCollectiveEnd": self._ended,
            "NonBlockingCollectiveRequest": self._begun,
            "NonBlockingCollectiveComplete": self._ended,
            "ThreadFork": self._forked,
            "ThreadJoin": self._joined,
            "OmpFork": self._forked,
            "OmpJoin": self._joined,
        }

    def finish(self, time: float) -> None:
        """Add the locations' work up to the end of the trace to their chains."""
        for location, number in self._number.items():
            if number in self._chains:
                self._do(self._replay.work, location, time)

    def on_path(self) -> OfPlaces:
        """Return the seconds that call paths spent on the critical path."""
        return self._of_places(self._chains.longest()[0])

    def visits_on_path(self) -> OfPlaces:
        """Return the number of times that call paths were entered on the critical path."""
        return self._of_places(self._chains.longest()[1])

    def delayed(self) -> OfPlaces:
        """Return the seconds for which call paths made other locations wait."""
        return self._of_places(self._chains.delayed)

    def waited(self) -> OfPlaces:
        """Return the seconds for which call paths waited for other locations."""
        return self._of_places(self._chains.waited)

    def of_teams(self) -> OfPlaces:
        """Return the seconds for which call paths worked in the slowest thread of each team."""
        return self._of_places(self._of_teams)

    def delays(self) -> Mapping[tuple[int, int, bool], float]:
        """Return the delays: (waiting call path, late call path, whether a message ended the wait) → seconds."""
        return {key: seconds for key, seconds in self._chains.delays.items() if NOWHERE not in key[:2]}

    def _unknown(self) -> str:
        """Return why the path is unknown; empty if it is known, or if there is only one rank."""
        if self._stopped or len(self._world) < 2:
            return self._stopped
        if self._replay.lost:
            return f"{_UNKNOWN}too many operations wait for messages or ranks that are not in the archive"
        if waiting := self._replay.waiting:
            return f"{_UNKNOWN}threads wait for messages or ranks that are not in the archive: {waiting}"
        if not self._replay.messages:
            return f"{_UNKNOWN}the archive contains neither received messages nor collectives"
        return ""

    @property
    def is_known(self) -> bool:
        """Whether the critical path is known."""
        return len(self._world) > 1 and not self._unknown()

    def remarks(self) -> list[str]:
        """Return warnings: why the path is unknown, or how many messages it does not include."""
        if unknown := self._unknown():
            return [unknown]
        lost = self._replay.in_flight if self.is_known else 0
        have = "message has" if lost == 1 else "messages have"
        return [f"the critical path may be longer: in the archive, {lost} {have} no matching receive"] if lost else []

    def _of_places(self, work: Work) -> OfPlaces:
        locations = [*self._number]
        places = ((self._chains.place(key), seconds) for key, seconds in work.items())
        return {(path, locations[number]): seconds for (path, number), seconds in places if path != NOWHERE}

    def _sent(self, location: int, time: float, to: int, comm: int, tag: int, *_: int) -> None:
        process = self._process[location]
        peer = self._peer(process, comm, to)
        if peer is not None:
            self._do(self._replay.send, location, time, (comm, tag, process, peer))

    def _received(self, location: int, time: float, sender: int, comm: int, tag: int, *_: int) -> None:
        process = self._process[location]
        peer = self._peer(process, comm, sender)
        if peer is not None:
            self._do(self._replay.receive, location, time, (comm, tag, peer, process))

    def _matched(self, location: int, _time: float, sender: int, comm: int, tag: int, message: int) -> None:
        self._probed[self._process[location], message] = sender, comm, tag

    def _requested(self, location: int, _time: float, message: int, request: int) -> None:
        found = self._probed.pop((self._process[location], message), None)
        if found is not None:
            self._probed[self._process[location], ~request] = found

    def _received_matched(self, location: int, time: float, message: int, _size: int) -> None:
        found = self._probed.pop((self._process[location], message), None)
        if found is not None:
            self._received(location, time, *found)

    def _begun(self, location: int, time: float, request: int | None = None) -> None:
        self._do(self._replay.begin, location, time, request)

    def _ended(self, location: int, time: float, operation: int, *more: int) -> None:
        comm, root, _sent, _received, *requests = more
        request = requests[0] if requests else None
        groups = self._groups.get(comm, ())
        rank = groups[0].ranks.get(self._process[location]) if len(groups) == 1 else None
        if rank is None or len(groups[0].members) < 2:
            return  # the path cannot follow waits in intercommunicators, and a single process does not wait
        needs = _NEEDS.get(self._operations.get(operation, ""), "everyone")
        kind = (comm, operation, request is None)
        collective = Collective(kind, needs, len(groups[0].members), rank, root)
        self._do(self._replay.end, location, time, collective, request)

    def _forked(self, location: int, time: float, *_: int) -> None:
        if self._number[location] in self._chains:
            self._do(self._replay.work, location, time)
            self._teams[location].append(0.0)

    def _joined(self, location: int, time: float, *_: int) -> None:
        """Add the work of the team's slowest thread to the chain of the thread that created the team.

        If that thread called MPI in the team, its work up to the call is already in the chain. In this case, only the
        part of the slowest thread's work that exceeds the thread's own work in the team is added.
        """
        if self._number[location] not in self._chains or self._stopped:
            return
        threads = self._threads[self._process[location]]
        others = [self._taken(each, time) for each in threads if self._number[each] not in self._chains]
        (mine, visits), teams = self._taken(location, time), self._teams[location]
        if teams:
            before = teams.pop()
            own = before + _seconds(mine)
            slowest, entered = max(others, key=lambda each: _seconds(each[0]), default=({}, {}))
            if (whole := _seconds(slowest)) > own:
                part = (whole - own) / whole if before else 1.0
                mine, visits = (
                    {**(each if before else {}), **{key: part * value for key, value in other.items()}}
                    for each, other in ((mine, slowest), (visits, entered))
                )
            add_work(self._of_teams, mine)
            if teams:
                teams[-1] += max(own, whole)
        self._replay.work(self._number[location], Moment(time, self._where(location), mine, visits))

    def _peer(self, process: int, comm: int, rank: int) -> int | None:
        """Return the process that has a rank in a communicator; None if there is no such rank.

        In an intercommunicator, which connects two groups, the rank belongs to the group that ``process`` is not in.
        """
        groups = self._groups.get(comm, ())
        if not groups:
            return process  # a communicator without groups contains only the process itself
        members = (groups[-1] if process in groups[0].ranks else groups[0]).members
        return members[rank] if rank < len(members) else None

    def _do(self, what: Callable[..., None], location: int, time: float, *more: Any) -> None:
        if self._stopped:
            return
        number = self._number[location]
        if number not in self._chains:
            self._start(location, time)
        try:
            what(number, Moment(time, self._where(location), *self._work(location, time)), *more)
        except UnsynchronisedError as error:
            self._stopped = f"{_UNKNOWN}the ranks' clocks differ: a message was received {error} before it was sent"

    def _work(self, location: int, time: float) -> tuple[Work, Work]:
        """Return the result of ``_taken``, and add it to the work in the location's innermost open team, if any."""
        work, visits = self._taken(location, time)
        if teams := self._teams.get(location):
            teams[-1] += _seconds(work)
            add_work(self._of_teams, work)
        return work, visits

    def _taken(self, location: int, time: float) -> tuple[Work, Work]:
        """Return a location's work since the previous call, and the visits in which it was done."""
        number = self._number[location]
        work, visits = self._worked(location, time)
        work, visits = ({self._chains.key(path, number): each for path, each in of.items()} for of in (work, visits))
        return work, visits

    def _start(self, location: int, time: float) -> None:
        """Begin a thread's chain with the longest chain of its process."""
        numbers = [self._number[each] for each in self._threads[self._process[location]]]
        chains = [each for each in numbers if each in self._chains]
        self._worked(location, time)
        self._chains.start(self._number[location], max(chains, key=self._chains.length, default=None))


def _seconds(work: Work) -> float:
    return sum(work.values())


def _operations() -> Mapping[int, str]:
    import _otf2  # noqa: PLC0415 - an optional dependency

    head = "COLLECTIVE_OP_"
    return {getattr(_otf2, name).value: name.removeprefix(head) for name in dir(_otf2) if name.startswith(head)}


def _groups(definitions: Any) -> tuple[dict[int, Sequence[_Group]], list[int]]:
    """Return the one or two groups of each communicator, and the locations of all ranks."""
    world = {
        location._ref: None
        for group in definitions.groups
        if name_of(group.group_type) == "COMM_LOCATIONS" and name_of(group.paradigm) == "MPI"
        for location in group.members
    }
    found: dict[int, Sequence[_Group]] = {}
    made: dict[int, _Group] = {}
    for comm in definitions.comms:
        groups = [getattr(comm, name) for name in ("group", "groupA", "groupB") if hasattr(comm, name)]
        if any(name_of(group.group_type) != "COMM_GROUP" for group in groups):
            continue
        for group in groups:
            if group._ref not in made:
                members = [location.group._ref for location in group.members]
                made[group._ref] = _Group(members, {process: rank for rank, process in enumerate(members)})
        found[comm._ref] = [made[group._ref] for group in groups]
    return found, [*world]
