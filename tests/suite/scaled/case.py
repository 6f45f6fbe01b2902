"""A program of any number of ranks with up to two planted faults of scaling, from a seed.

Loops without a fault divide their work by the number of ranks. A fault's strength is about the share of the largest
run's rank-seconds that it loses, compared with perfect scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ..case import PRINTERS, drawn_names
from ..faults import LENGTH, NS
from ..program import EDGE, Loop, Phase, Place, Printed, Program, Tail, Work

RANKS = (1, 2, 4, 8)
CLEAN = "clean"  # a case without a fault
_MOST = RANKS[-1]
_STEPS = 10
_WORK = Work.SMOOTH  # of a second, it executes the fewest instructions, which simulation counts slowly
_STRENGTHS = (0.05, 0.1, 0.2, 0.35, 0.5)
_LEFT = 0.5  # of the largest run: what faults may lose together


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        formula: The turns of its loop, with ``{turns}`` for their number on a rank of the largest run, or in all.
        excess: What it loses in the largest run, in such turns.
        named: The kinds of loss that are right for it.
        tail: What MPI does in its phase.
    """

    formula: str
    excess: int
    named: tuple[str, ...]
    tail: Tail = Tail.NONE


_IN_TURN = ("one_after_another", "late")
_ALONE = ("imbalance", "one_after_another", "late")
# One rank: the first one is 1 / (rank + 1), the last one (rank + 1) / ranks. All of these divide whole numbers.
FAULTS = {
    "replicated": Fault("{turns}", _MOST - 1, ("replicated",)),
    "halo": Fault("{shared} / ranks + {turns}", _MOST - 1, ("grows",)),
    "search": Fault("{turns} * ranks", _MOST**2 - 1, ("grows",)),
    "chain": Fault("{turns} / ranks", (_MOST - 1), _IN_TURN, Tail.CHAIN),
    "serial": Fault("{turns} * (1 / (rank + 1))", _MOST - 1, _ALONE, Tail.BROADCAST),
    "collect": Fault("{turns} * ranks * (1 / (rank + 1))", _MOST**2 - 1, (*_ALONE, "grows"), Tail.BROADCAST),
    "imbalance": Fault("{shared} / ranks + {turns} * ((rank + 1) / ranks)", _MOST - 1, _ALONE, Tail.REDUCTION),
}
_ROUND = (*FAULTS, *FAULTS, CLEAN)  # the second time with another fault beside it
_SHARED = 0.1  # of the work that is divided: what a loop with a fault divides, too


@dataclass(frozen=True)
class Truth:
    """A planted fault: its kind, and the share of the largest run that it loses."""

    kind: str
    strength: float
    phase: str
    loop: int

    @property
    def named(self) -> tuple[str, ...]:
        """The kinds of loss that are right for it."""
        return FAULTS[self.kind].named


@dataclass(frozen=True)
class ScaledCase:
    """What a seed stands for; the strongest fault is the first."""

    seed: int
    language: str
    program: Program
    truths: tuple[Truth, ...]

    def printed(self) -> Printed:
        """The sources."""
        return PRINTERS[self.language](self.program)


def language_of(seed: int) -> str:
    """Each round has another language first, so that four rounds have each kind in each language."""
    return (*PRINTERS,)[(seed % len(_ROUND) + seed // len(_ROUND)) % len(PRINTERS)]


def kinds_of(seed: int) -> tuple[str, ...]:
    """The kinds of a seed's faults."""
    kind = _ROUND[seed % len(_ROUND)]
    if kind == CLEAN:
        return ()
    if seed % len(_ROUND) < len(FAULTS):
        return (kind,)
    return kind, Random(seed).choice([each for each in FAULTS if each != kind])


def scaled_case(seed: int, *, seconds: float, clean: bool = False) -> ScaledCase:
    """Draw the case of a seed, or one without a fault; without faults, one rank computes for about ``seconds``."""
    random, names = Random(seed), drawn_names(Random(seed))
    strengths: list[float] = []
    kinds = () if clean else kinds_of(seed)
    for number in range(len(kinds)):
        room = (_LEFT - sum(strengths)) / (len(kinds) - number)
        strengths.append(random.choice([each for each in _STRENGTHS if each <= room]))
    phases, truths = [], []
    for kind, strength in zip(kinds, strengths, strict=True):
        lost = strength / (1 - sum(strengths)) * seconds
        loop = _loop(FAULTS[kind].formula, lost / FAULTS[kind].excess, _SHARED * seconds)
        name = names.pop()
        phases.append(Phase(name, random.choice((*Place,)), (loop,), FAULTS[kind].tail))
        truths.append(Truth(kind, strength, name, 0))
    for share in _shares(random):
        loops = random.choice((1, 2))
        each = (_loop("{turns} / ranks", share / loops * seconds),) * loops
        phases.insert(random.randint(0, len(phases)), Phase(names.pop(), random.choice((*Place,)), each))
    halo = Phase(names.pop(), random.choice((*Place,)), (Loop(Work.EXCHANGE, (), EDGE, formula="1"),))
    layout = random.choice(("main", "solve", "advance"))
    program = Program((*phases, halo), _STEPS, _MOST, 1, layout, scales=True)
    return ScaledCase(seed, language_of(seed), program, tuple(sorted(truths, key=lambda each: -each.strength)))


def _shares(random: Random) -> list[float]:
    weights = [random.uniform(0.3, 1) for _ in range(random.randint(3, 4))]
    return [each / sum(weights) for each in weights]


def _loop(formula: str, seconds: float, shared: float = 0.0) -> Loop:
    """Return a loop: the ``turns`` and ``shared`` of its formula take these seconds in all steps."""
    turns, divided = (round(each / _STEPS / (NS[_WORK] * LENGTH * 1e-9)) for each in (seconds, shared))
    return Loop(_WORK, (), LENGTH, formula=formula.format(turns=turns, shared=divided))
