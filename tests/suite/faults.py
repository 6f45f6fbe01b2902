"""Kinds of faults: for each, a phase that has it, the same phase without it, and what a verdict must report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from .program import EDGE, FIELD, GRID, LARGE, RECORD, ROWS, SMALL, Loop, Phase, Place, Tail, Work

LENGTH = 128  # iterations of most inner loops; few, so that whole iterations of the outer loop fit the shares closely
ROOM = 0.8  # maximum share of the run for a fault together with what remains of it when it is cured

# Time of an inner iteration in ns without a fault, and with one, on the machine for which strengths were set. On other
# machines, strengths differ, so the time that a fault takes is measured by its cure.
NS = {
    Work.SMOOTH: 2.2,
    Work.POLYNOMIAL: 0.82,
    Work.QUOTIENT: 0.82,
    Work.GRID: 0.82,
    Work.CHASE: 1.65,
    Work.THREADS: 0.82,
}
NS_DOWN_COLUMNS, NS_FROM_L2, NS_FROM_MEMORY = 3.1, 5.0, 200.0
NS_OF_RECORD, NS_OF_FORTRAN_RECORD = 5.7e3, 13.5e3  # to write and read a record; Fortran's library reads ahead
NS_OF_FIELD, NS_OF_EDGE = 110e3, 3e3
NS_OF_MESSAGE, NS_QUEUED = 250, 0.02  # a message takes this time, and more for each one that waits to be received

COMPUTING = (Work.SMOOTH, Work.POLYNOMIAL, Work.QUOTIENT)


@dataclass(frozen=True)
class Truth:
    """What a verdict must report about a fault.

    Attributes:
        kind: The name of the kind.
        strength: The share of the run that the fault takes, or that an even partition would save. If ranks work one
            after another: the share of the critical path that would be saved if they worked at the same time.
        phase: The name of the procedure.
        loop: The number of the loop in the procedure; None if the verdict must name the procedure.
        alone: Whether the verdict may name the procedure instead of the loop, because it has no other loop.
        groups: Groups of similar ranks, or threads; empty if all ranks are similar, or all are different.
        order: The ranks from the fastest to the slowest if all are different; each cluster must contain neighbours.
        causes: The first cause must be one of these attributes, or the region have one of these marks (``MARKS`` in
            ``score.py``).
        counted: Whether only counts can show the cause.
    """

    kind: str
    strength: float
    phase: str
    loop: int | None
    alone: bool
    groups: tuple[tuple[str, ...], ...] = ()
    order: tuple[str, ...] = ()
    causes: tuple[str, ...] = ("instructions",)
    counted: bool = True

    @property
    def parts_ranks(self) -> bool:
        """Whether ranks differ because of the fault."""
        return bool(self.groups or self.order)

    @property
    def by_counts_alone(self) -> bool:
        """Whether times do not show the fault: a region takes long on all ranks, as others do, but has cache misses."""
        return self.counted and not self.parts_ranks and "instructions" not in self.causes

    @property
    def by_the_clock(self) -> bool:
        """Whether the fault takes wall time, but no busy time."""
        return self.moves or "waiting" in self.causes

    @property
    def in_turn(self) -> bool:
        """Whether ranks work one after another: the critical path becomes longer, but no rank's busy time."""
        return not {"waiting", "one_after_another"}.isdisjoint(self.causes)

    @property
    def moves(self) -> bool:
        """Whether the fault is in messages, which take CPU time."""
        return not {"mpi_bytes", "small_calls"}.isdisjoint(self.causes)


@dataclass(frozen=True)
class Sketch:
    """The run for which a phase is made: a rank computes for ``seconds``, in ``steps``; ``strength`` is the fault's."""

    random: Random
    name: str
    place: Place
    strength: float
    seconds: float
    steps: int
    ranks: int
    language: str

    def turns(self, share: float, ns: float) -> int:
        """Return how many iterations per step, of ``ns`` nanoseconds each, take a share of the run; at least one."""
        return max(1, round(share * self.seconds / self.steps / (ns * 1e-9)))


Planted = tuple[Phase, Phase, Truth]


def computing(sketch: Sketch, share: float, work: Work | None = None) -> Loop:
    """Return a loop without a fault.

    Loops over the rows of a grid, and over links in order, miss the L1 cache at every eighth and sixteenth access, as
    real programs do. But the lines are prefetched, and iterations take no longer than if data were in the cache. So a
    verdict that names these misses as a cause is wrong.

    Args:
        sketch: The run.
        share: The share of the run that the loop takes.
        work: What the inner loop does; None: a random choice.
    """
    chosen = work or sketch.random.choice((*COMPUTING, Work.GRID, Work.CHASE))
    length = GRID if chosen is Work.GRID else LENGTH
    turns = (sketch.turns(share, NS[chosen] * length),) * sketch.ranks
    scattered = (False,) * sketch.ranks if chosen in (Work.GRID, Work.CHASE) else ()
    return Loop(chosen, turns, length, scattered=scattered, size=SMALL if chosen is Work.CHASE else 0)


def share(phase: Phase, *, seconds: float, steps: int) -> float:
    """Return the share of the run for which a rank computes in a phase, as a mean over the ranks."""
    loops = [sum(each.turns) / len(each.turns) * each.length * NS[each.work] * 1e-9 for each in phase.loops]
    loops[phase.in_turn] *= phase.passes
    return sum(loops) * steps / seconds


def _planted(
    sketch: Sketch, faulty: Loop, cured: Loop, truth: dict[str, object], tails: tuple[Tail, Tail], *, passes: int = 1
) -> Planted:
    loops = [computing(sketch, 0.04, sketch.random.choice(COMPUTING)) for _ in range(2)]
    beside = loops if sketch.place is Place.LOOP else []
    at = sketch.random.randint(0, len(beside))
    phases = [
        Phase(sketch.name, sketch.place, (*beside[:at], loop, *beside[at:]), tail, at, passes)
        for loop, tail in zip((faulty, cured), tails, strict=True)
    ]
    values = {"loop": at, "alone": not beside, **truth}
    return phases[0], phases[1], Truth(strength=sketch.strength, phase=sketch.name, **values)  # type: ignore[arg-type]


def _named(ranks: list[int]) -> tuple[str, ...]:
    return tuple(map(str, sorted(ranks)))


def _groups(sketch: Sketch, slow: list[int]) -> tuple[tuple[str, ...], ...]:
    return _named(slow), _named([rank for rank in range(sketch.ranks) if rank not in slow])


def _partition(
    kind: str, levels: Callable[[Sketch], list[float]], base: float = 0.06, tail: Tail = Tail.NONE, grows: bool = False
) -> Callable[[Sketch], Planted]:
    """Return a function that plants an imbalance: ranks have different shares of the work; the cure is an even one.

    Args:
        kind: The name of the kind.
        levels: Returns each rank's work, relative to each other.
        base: The share of the run for which all ranks compute in the loop anyway.
        tail: The MPI call after the loop.
        grows: Whether the difference grows from 0 during the run.
    """

    def plant(sketch: Sketch) -> Planted:
        level = levels(sketch)
        mean = sum(level) / len(level)
        excess = sketch.strength / (max(level) - mean)
        work = sketch.random.choice(COMPUTING)
        ns = NS[work] * LENGTH
        least = sketch.turns(base, ns) if base else 0
        more = [sketch.turns(excess * each, ns) if each else 0 for each in level]
        even = [round(sum(more) / len(more))] * len(more)
        shapes = []
        for each in (more, even):
            if grows:
                growth = tuple(round(2 * turns / (sketch.steps - 1)) for turns in each)
                shapes.append(Loop(work, (least,) * sketch.ranks, LENGTH, more=growth))
            else:
                shapes.append(Loop(work, tuple(least + turns for turns in each), LENGTH))
        truth: dict[str, object] = {"kind": kind}
        if len(set(level)) == 2:
            truth["groups"] = _groups(sketch, [rank for rank, each in enumerate(level) if each == max(level)])
        else:
            truth["order"] = tuple(str(rank) for rank in sorted(range(sketch.ranks), key=lambda rank: level[rank]))
        return _planted(sketch, shapes[0], shapes[1], truth, (tail, tail))

    return plant


def _slow(sketch: Sketch) -> list[float]:
    slowest = sketch.random.randrange(sketch.ranks)
    return [float(rank == slowest) for rank in range(sketch.ranks)]


def _half(sketch: Sketch) -> list[float]:
    slow = sketch.random.sample(range(sketch.ranks), sketch.ranks // 2)
    return [float(rank in slow) for rank in range(sketch.ranks)]


def _ramp(sketch: Sketch) -> list[float]:
    levels = [rank / (sketch.ranks - 1) for rank in range(sketch.ranks)]
    return sketch.random.choice((levels, levels[::-1]))


def _uneven(sketch: Sketch) -> list[float]:
    levels = [rank / (sketch.ranks - 1) + 0.1 * sketch.random.random() for rank in range(sketch.ranks)]
    sketch.random.shuffle(levels)
    return levels


def _first(sketch: Sketch) -> list[float]:
    return [float(rank == 0) for rank in range(sketch.ranks)]


def _links(sketch: Sketch, share: float, size: int, ns: float) -> tuple[Loop, Loop]:
    """Return two loops with the same number of iterations: over links that are scattered on all ranks, and in order."""
    turns = (sketch.turns(share, ns * LENGTH),) * sketch.ranks
    return tuple(  # type: ignore[return-value]
        Loop(Work.CHASE, turns, LENGTH, scattered=(each,) * sketch.ranks, size=size) for each in (True, False)
    )


def _misses_of_some(sketch: Sketch) -> Planted:
    size, ns = sketch.random.choice(((SMALL, NS_FROM_L2), (LARGE, NS_FROM_MEMORY)))
    slow = sketch.random.sample(range(sketch.ranks), sketch.random.randint(1, sketch.ranks - 1))
    faulty, cured = _links(sketch, sketch.strength, size, ns - NS[Work.CHASE])
    some = Loop(Work.CHASE, faulty.turns, LENGTH, scattered=tuple(r in slow for r in range(sketch.ranks)), size=size)
    truth: dict[str, object] = {"kind": "misses-of-some", "groups": _groups(sketch, slow)}
    truth["causes"] = ("l1_miss_rate", "l2_miss_rate")
    return _planted(sketch, some, cured, truth, (Tail.NONE, Tail.NONE))


def _l1(sketch: Sketch) -> Planted:
    faulty, cured = _links(sketch, sketch.strength, SMALL, NS_FROM_L2 - NS[Work.CHASE])
    return _planted(sketch, faulty, cured, {"kind": "l1", "causes": ("l1_miss_rate",)}, (Tail.NONE, Tail.NONE))


def _l2(sketch: Sketch) -> Planted:
    if sketch.random.random() < 0.5:
        faulty, cured = _links(sketch, sketch.strength, LARGE, NS_FROM_MEMORY - NS[Work.CHASE])
    else:
        turns = (sketch.turns(sketch.strength, (NS_DOWN_COLUMNS - NS[Work.GRID]) * GRID),) * sketch.ranks
        faulty, cured = (Loop(Work.GRID, turns, GRID, scattered=(each,) * sketch.ranks) for each in (True, False))
    truth: dict[str, object] = {"kind": "l2", "causes": ("l2_miss_rate", "l1_miss_rate")}
    return _planted(sketch, faulty, cured, truth, (Tail.NONE, Tail.NONE))


def _instructions(sketch: Sketch) -> Planted:
    cured = computing(sketch, 0.03, sketch.random.choice(COMPUTING))
    turns = cured.turns[0] + sketch.turns(sketch.strength, NS[cured.work] * LENGTH)
    faulty = Loop(cured.work, (turns,) * sketch.ranks, LENGTH)
    return _planted(sketch, faulty, cured, {"kind": "instructions"}, (Tail.NONE, Tail.NONE))


def _files(sketch: Sketch) -> Planted:
    turns = sketch.turns(sketch.strength, NS_OF_FORTRAN_RECORD if sketch.language.startswith("f") else NS_OF_RECORD)
    faulty, cured = (Loop(Work.FILE, (each,) * sketch.ranks, RECORD) for each in (turns, 1))
    truth: dict[str, object] = {"kind": "file-io", "causes": ("io_bytes",), "counted": False}
    return _planted(sketch, faulty, cured, truth, (Tail.NONE, Tail.NONE))


def _volume(sketch: Sketch) -> Planted:
    turns = (sketch.turns(sketch.strength, NS_OF_FIELD - NS_OF_EDGE),) * sketch.ranks
    faulty, cured = (Loop(Work.EXCHANGE, turns, each) for each in (FIELD, EDGE))
    truth: dict[str, object] = {"kind": "volume", "causes": ("mpi_bytes",), "counted": False}
    return _planted(sketch, faulty, cured, truth, (Tail.NONE, Tail.NONE))


def _small_messages(sketch: Sketch) -> Planted:
    alone = sketch.turns(sketch.strength, NS_OF_MESSAGE)
    queued = NS_QUEUED / NS_OF_MESSAGE  # alone = turns + queued * turns²
    turns = max(1, round((sqrt(1 + 4 * queued * alone) - 1) / (2 * queued)))
    faulty, cured = (Loop(Work.PIECES, (turns,) * sketch.ranks, each) for each in (1, turns))
    truth: dict[str, object] = {"kind": "small-messages", "causes": ("small_calls",), "counted": False, "alone": True}
    return _planted(sketch, faulty, cured, truth, (Tail.NONE, Tail.NONE))


def _in_turn(kind: str, tail: Tail, passes: Sequence[int]) -> Callable[[Sketch], Planted]:
    """Return a function that plants a loop in which ranks work one after another; the cure lets all work at once.

    The passes of a chain go to the last rank and back in turn, and a token goes round: only one rank works at a time. A
    pipeline is one pass of a chain. The passes of a wavefront overlap, so the only time lost is that until the last
    rank can begin.

    Args:
        kind: The name of the kind.
        tail: The messages around the loop.
        passes: Numbers of passes in each step, one of which is chosen.
    """

    def plant(sketch: Sketch) -> Planted:
        waits = sketch.ranks // 2 if tail is Tail.WAVEFRONT else sketch.ranks - 1
        lost = [each if tail is not Tail.WAVEFRONT else 1 for each in passes]  # passes in which ranks wait
        room = [
            (many, sketch.strength / waits / each)
            for many, each in zip(passes, lost, strict=True)
            if sketch.strength * (1 + many / each / waits) <= ROOM
        ]
        many, work = sketch.random.choice(room)
        loop = computing(sketch, work, sketch.random.choice(COMPUTING))
        truth: dict[str, object] = {"kind": kind, "causes": ("waiting",), "counted": False, "alone": True}
        return _planted(sketch, loop, loop, truth, (tail, Tail.NONE), passes=many)

    return plant


def _alternating(sketch: Sketch) -> Planted:
    """Plant work that differs within a step but not in all: in each step, another rank, or another half, has more."""
    late = sketch.random.sample(range(sketch.ranks), sketch.ranks)
    late = sketch.random.choice((late, [each % 2 for each in late]))
    steps = max(late) + 1
    work = sketch.random.choice(COMPUTING)
    ns = NS[work] * LENGTH
    least, more = sketch.turns(0.06, ns), sketch.turns(sketch.strength / (1 - 1 / steps), ns)
    even = (least + round(more / steps),) * sketch.ranks
    rounds = tuple(tuple(least + more * (each == step) for each in late) for step in range(steps))
    truth: dict[str, object] = {"kind": "alternating", "causes": ("one_after_another",), "counted": False}
    faulty, cured = Loop(work, even, LENGTH, rounds=rounds), Loop(work, even, LENGTH)
    return _planted(sketch, faulty, cured, truth, (Tail.REDUCTION, Tail.REDUCTION))


def _threads(sketch: Sketch) -> Planted:
    """Plant an imbalance of two threads: both have the same number of rows, but later rows have more work."""
    ns = NS[Work.THREADS] * LENGTH
    least = sketch.turns(0.1 / (ROWS / 2), ns)
    slope = sketch.turns(sketch.strength, ns) * 2 // (ROWS // 2) ** 2
    slope = max(1, slope)
    even = least + slope * (ROWS - 1) // 2
    faulty, cured = (
        Loop(Work.THREADS, (turns,) * sketch.ranks, LENGTH, slope=each) for turns, each in ((least, slope), (even, 0))
    )
    groups = tuple(tuple(f"{rank}.{thread}" for rank in range(sketch.ranks)) for thread in range(2))
    return _planted(sketch, faulty, cured, {"kind": "threads", "groups": groups}, (Tail.NONE, Tail.NONE))


KINDS: dict[str, Callable[[Sketch], Planted]] = {
    "slow": _partition("slow", _slow),
    "groups": _partition("groups", _half),
    "ramp": _partition("ramp", _ramp),
    "uneven": _partition("uneven", _uneven),
    "growing": _partition("growing", _slow, grows=True),
    "serial": _partition("serial", _first, base=0, tail=Tail.BROADCAST),
    "late-sender": _partition("late-sender", _slow, tail=Tail.RING),
    "misses-of-some": _misses_of_some,
    "l1": _l1,
    "l2": _l2,
    "instructions": _instructions,
    "file-io": _files,
    "volume": _volume,
    "small-messages": _small_messages,
    "pipeline": _in_turn("pipeline", Tail.CHAIN, (1,)),
    "threads": _threads,
    "chain": _in_turn("chain", Tail.CHAIN, (2, 4)),
    "wavefront": _in_turn("wavefront", Tail.WAVEFRONT, (3, 4, 6)),
    "alternating": _alternating,
    "token": _in_turn("token", Tail.TOKEN, (1, 2)),
}
