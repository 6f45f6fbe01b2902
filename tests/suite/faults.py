"""Kinds of faults: for each, a phase that has it, the same phase without, and what a verdict must say of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from .program import EDGE, FIELD, GRID, LARGE, RECORD, ROWS, SMALL, Loop, Phase, Place, Tail, Work

LENGTH = 128  # of most inner loops: short, so that turns follow shares closely
ROOM = 0.8  # of the run, for a fault and what remains of it when it is cured

# What an inner turn takes in ns on the machine on which strengths were set, and as a fault. Elsewhere strengths differ;
# what a fault costs is measured by its cure.
NS = {
    Work.SMOOTH: 2.2,
    Work.POLYNOMIAL: 0.82,
    Work.QUOTIENT: 0.82,
    Work.GRID: 0.82,
    Work.CHASE: 1.65,
    Work.THREADS: 0.82,
}
NS_DOWN_COLUMNS, NS_FROM_L2, NS_FROM_MEMORY = 3.1, 5.0, 200.0
NS_OF_RECORD, NS_OF_FORTRAN_RECORD = 5.7e3, 13.5e3  # written and read again; Fortran's library reads ahead
NS_OF_FIELD, NS_OF_EDGE = 110e3, 3e3
NS_OF_MESSAGE, NS_QUEUED = 250, 0.02  # and what each message that already waits to be received adds to it

COMPUTING = (Work.SMOOTH, Work.POLYNOMIAL, Work.QUOTIENT)


@dataclass(frozen=True)
class Truth:
    """What a verdict must say of a fault.

    Attributes:
        kind: name of the kind.
        strength: share of the run that the fault takes, or that an even partition would save; of ranks that work in
            turn, the share of the critical path that they save if they work at the same time.
        phase: name of the procedure.
        loop: the loop, or ``None`` if it is the procedure that has to be named.
        alone: whether the loop is the only one of its procedure, which may then be named instead.
        groups: the ranks that belong together; empty if ranks are alike.
        order: ranks from the fastest to the slowest where all differ; a cluster holds neighbours.
        causes: attributes of which the first cause must be one, or marks of regions (``MARKS`` of ``score.py``).
        counted: whether the cause can only be found by counts.
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
        """Whether ranks differ by this fault."""
        return bool(self.groups or self.order)

    @property
    def by_counts_alone(self) -> bool:
        """Whether times do not show it: a region of all ranks that takes long, as others do, and misses caches."""
        return self.counted and not self.parts_ranks and "instructions" not in self.causes

    @property
    def by_the_clock(self) -> bool:
        """Whether it takes time of the run, but not of computing."""
        return self.moves or "waiting" in self.causes

    @property
    def in_turn(self) -> bool:
        """Whether ranks work one after another: it lengthens the critical path, and no rank computes longer."""
        return not {"waiting", "one_after_another"}.isdisjoint(self.causes)

    @property
    def moves(self) -> bool:
        """Whether it is messages, which take time of the processors."""
        return not {"mpi_bytes", "small_calls"}.isdisjoint(self.causes)


@dataclass(frozen=True)
class Sketch:
    """Where a fault is to be put: a run of ``seconds`` on each rank, in ``steps``."""

    random: Random
    name: str
    place: Place
    strength: float
    seconds: float
    steps: int
    ranks: int
    language: str

    def turns(self, share: float, ns: float) -> int:
        """How many turns of ``ns`` take this share of the run, in each step."""
        return max(1, round(share * self.seconds / self.steps / (ns * 1e-9)))


Planted = tuple[Phase, Phase, Truth]


def computing(sketch: Sketch, share: float, work: Work | None = None) -> Loop:
    """A loop without a fault.

    Rows of a grid, and links in order, miss the L1 cache at every eighth and sixteenth access, as real programs do; but
    lines are asked for ahead, and a turn takes what it takes in the cache. A verdict that blames these misses is wrong.
    """
    chosen = work or sketch.random.choice((*COMPUTING, Work.GRID, Work.CHASE))
    length = GRID if chosen is Work.GRID else LENGTH
    turns = (sketch.turns(share, NS[chosen] * length),) * sketch.ranks
    scattered = (False,) * sketch.ranks if chosen in (Work.GRID, Work.CHASE) else ()
    return Loop(chosen, turns, length, scattered=scattered, size=SMALL if chosen is Work.CHASE else 0)


def share(phase: Phase, *, seconds: float, steps: int) -> float:
    """Return the share of the run that a rank computes in a phase, as a mean over the ranks."""
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
    """Ranks have different shares of the work; the cure is to share it evenly."""

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
    """Links that are scattered on all ranks, and the same in order, in as many turns."""
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
    """Ranks work one after another, in so many passes of a step; the cure lets them work at the same time.

    A chain goes forth, back, and so on; a token goes round: all that ranks do in them is done in turn. A pipeline is
    one pass of a chain. The blocks of a wavefront overlap: what is lost is the time until the last rank has its first.
    """

    def plant(sketch: Sketch) -> Planted:
        waits = sketch.ranks // 2 if tail is Tail.WAVEFRONT else sketch.ranks - 1
        lost = [each if tail is not Tail.WAVEFRONT else 1 for each in passes]  # passes that wait for all ranks before
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
    """In each step other ranks have more to do: one of them, or every second one; all have as much in the end."""
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
    """Rows grow, and each thread has as many as the other: of two threads, the second has more."""
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
