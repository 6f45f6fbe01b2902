"""Programs whose ranks work in turn, executed by hand, have the planned critical path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import pytest

from .case import case_of, kind_of
from .faults import KINDS, NS
from .program import Message, Phase, Program, Tail, Work, messages

_RANKS = range(4)
_IN_TURN = ("pipeline", "chain", "wavefront", "alternating", "token")
_STRENGTHS = (0.02, 0.05, 0.1, 0.3)
_COST = 0.01  # tolerance as a share of the path, because iterations are whole numbers

# What a rank does, and a number: the seconds of work, or the rank to send to or receive from.
Event = tuple[str, float]


def _seed_of(kind: str, strength: float) -> int:
    """Return the first seed whose only fault is this one."""
    for seed in range(2000):
        if kind_of(seed) == kind:
            truths = case_of(seed).truths
            if len(truths) == 1 and truths[0].strength == strength:
                return seed
    raise AssertionError(f"no seed draws {kind} at {strength:.0%} alone")


def _said(some: list[Message], rank: int, of: int) -> Iterator[Event]:
    for each in some:
        if (peer := each.peers[of]) >= 0:
            yield "send" if each.sends else "receive", peer


def _events_of_phase(phase: Phase, step: int, rank: int) -> Iterator[Event]:
    before, after = messages(phase.tail, len(_RANKS))
    for number, loop in enumerate(phase.loops):
        turns = loop.rounds[step % len(loop.rounds)] if loop.rounds else loop.turns
        for passed in range(phase.passes if number == phase.in_turn else 1):
            of = passed % 2 * len(_RANKS) + rank
            yield from _said(before if number == phase.in_turn else [], rank, of)
            if loop.work is Work.EXCHANGE:
                yield "send", (rank + 1) % len(_RANKS)
                yield "receive", (rank - 1) % len(_RANKS)
            else:
                yield "work", turns[rank] * loop.length * NS[loop.work] * 1e-9
            yield from _said(after if number == phase.in_turn else [], rank, of)
    if phase.tail is Tail.REDUCTION:
        yield "meet", 0


def _events(program: Program, rank: int) -> Iterator[Event]:
    for step in range(program.steps):
        for phase in program.phases:
            yield from _events_of_phase(phase, step, rank)
        yield "meet", 0


def _path(program: Program) -> float:
    """Return the seconds of the longest chain of work."""
    length, waiting = [0.0 for _ in _RANKS], {}
    events = [_events(program, rank) for rank in _RANKS]
    boxes = {(sender, receiver): deque[float]() for sender in _RANKS for receiver in _RANKS}
    ready = deque(_RANKS)
    while ready:
        rank = ready.popleft()
        for what, value in events[rank]:
            peer = int(value)
            match what:
                case "work":
                    length[rank] += value
                case "send":
                    boxes[rank, peer].append(length[rank])
                    if waiting.get(peer) == ("receive", rank):
                        length[peer] = max(length[peer], boxes[rank, peer].popleft())
                        del waiting[peer]
                        ready.append(peer)
                case "receive" if boxes[peer, rank]:
                    length[rank] = max(length[rank], boxes[peer, rank].popleft())
                case _:
                    waiting[rank] = what, peer
                    break
        if [*waiting.values()] == [("meet", 0)] * len(_RANKS):
            length = [max(length) for _ in _RANKS]
            waiting.clear()
            ready.extend(_RANKS)
    assert not waiting, "ranks wait for ever"
    assert not any(boxes.values()), "messages are left"
    return max(length)


@pytest.mark.parametrize("strength", _STRENGTHS)
@pytest.mark.parametrize("kind", _IN_TURN)
def test_a_cure_saves_the_share_of_the_critical_path_that_the_strength_says(kind, strength):
    case = case_of(_seed_of(kind, strength))
    assert [truth.in_turn for truth in case.truths] == [True]
    faulty, cured = _path(case.faulty), _path(case.cured)
    assert faulty == pytest.approx(0.8, rel=_COST)
    assert faulty - cured == pytest.approx(strength * faulty, abs=0.2 * _COST * faulty)


@pytest.mark.parametrize("kind", _IN_TURN)
def test_all_ranks_compute_as_much(kind):
    case = case_of(_seed_of(kind, _STRENGTHS[1]))
    (phase,) = (each for each in case.faulty.phases if each.name == case.truths[0].phase)
    for loop in phase.loops:
        every = loop.rounds * (case.faulty.steps // len(loop.rounds)) if loop.rounds else (loop.turns,)
        assert len({sum(turns) for turns in zip(*every, strict=True)}) == 1


def test_kinds_of_ranks_that_work_in_turn_are_all_here():
    planted = {
        kind for kind in KINDS if case_of(next(seed for seed in range(99) if kind_of(seed) == kind)).truths[0].in_turn
    }
    assert planted == {*_IN_TURN}
