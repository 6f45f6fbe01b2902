"""Programs for any number of ranks, with up to two planted faults of scaling, drawn from a seed.

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
_WORK = Work.SMOOTH  # executes the fewest instructions per second, so the simulation counts it in the shortest time
_STRENGTHS = (0.05, 0.1, 0.2, 0.35, 0.5)
_LEFT = 0.5  # maximum share of the largest run that faults lose together


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        formula: The number of iterations of the fault's loop, in ``rank`` and ``ranks``. ``{turns}`` is a number that
            depends on the strength, and ``{shared}`` are iterations without a fault.
        excess: How many times ``{turns}`` the ranks of the largest run lose in all.
        named: The kinds of loss that a verdict may name.
        tail: The MPI calls in the fault's phase.
    """

    formula: str
    excess: int
    named: tuple[str, ...]
    tail: Tail = Tail.NONE


_IN_TURN = ("one_after_another", "late")
_ALONE = ("imbalance", "one_after_another", "late")
# Divisions are of integers: 1 / (rank + 1) is 1 on the first rank alone, and (rank + 1) / ranks on the last one alone.
FAULTS = {
    "replicated": Fault("{turns}", _MOST - 1, ("replicated",)),
    "halo": Fault("{shared} / ranks + {turns}", _MOST - 1, ("grows",)),
    "search": Fault("{turns} * ranks", _MOST**2 - 1, ("grows",)),
    "chain": Fault("{turns} / ranks", (_MOST - 1), _IN_TURN, Tail.CHAIN),
    "serial": Fault("{turns} * (1 / (rank + 1))", _MOST - 1, _ALONE, Tail.BROADCAST),
    "collect": Fault("{turns} * ranks * (1 / (rank + 1))", _MOST**2 - 1, (*_ALONE, "grows"), Tail.BROADCAST),
    "imbalance": Fault("{shared} / ranks + {turns} * ((rank + 1) / ranks)", _MOST - 1, _ALONE, Tail.REDUCTION),
}
_ROUND = (*FAULTS, *FAULTS, CLEAN)  # the second time, another fault is added
_SHARED = 0.1  # share of the run on one rank for the work of a faulty loop that is divided by the number of ranks


@dataclass(frozen=True)
class Truth:
    """A planted fault: its kind, and the share of the largest run that it loses."""

    kind: str
    strength: float
    phase: str
    loop: int

    @property
    def named(self) -> tuple[str, ...]:
        """The kinds of loss that a verdict may name."""
        return FAULTS[self.kind].named


@dataclass(frozen=True)
class ScaledCase:
    """The program of a seed, and its faults, the strongest first."""

    seed: int
    language: str
    program: Program
    truths: tuple[Truth, ...]

    def printed(self) -> Printed:
        """Return the sources of the program."""
        return PRINTERS[self.language](self.program)


def language_of(seed: int) -> str:
    """Return a seed's language; rounds through all kinds begin with different ones, so four have all combinations."""
    return (*PRINTERS,)[(seed % len(_ROUND) + seed // len(_ROUND)) % len(PRINTERS)]


def kinds_of(seed: int) -> tuple[str, ...]:
    """Return the kinds of a seed's faults: none, one or two."""
    kind = _ROUND[seed % len(_ROUND)]
    if kind == CLEAN:
        return ()
    if seed % len(_ROUND) < len(FAULTS):
        return (kind,)
    return kind, Random(seed).choice([each for each in FAULTS if each != kind])


def scaled_case(seed: int, *, seconds: float, clean: bool = False) -> ScaledCase:
    """Return the case of a seed.

    Args:
        seed: The seed of all random choices.
        seconds: How long the program would compute on one rank without faults.
        clean: Whether to plant no faults.
    """
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
    halo = Phase(names.pop(), random.choice((*Place,)), (Loop(Work.EXCHANGE, (), EDGE, size=EDGE, formula="1"),))
    layout = random.choice(("main", "solve", "advance"))
    program = Program((*phases, halo), _STEPS, _MOST, 1, layout, scales=True)
    return ScaledCase(seed, language_of(seed), program, tuple(sorted(truths, key=lambda each: -each.strength)))


def _shares(random: Random) -> list[float]:
    weights = [random.uniform(0.3, 1) for _ in range(random.randint(3, 4))]
    return [each / sum(weights) for each in weights]


def _loop(formula: str, seconds: float, shared: float = 0.0) -> Loop:
    """Return a loop; ``{turns}`` and ``{shared}`` in its formula become iterations for these seconds in all steps."""
    turns, divided = (round(each / _STEPS / (NS[_WORK] * LENGTH * 1e-9)) for each in (seconds, shared))
    return Loop(_WORK, (), LENGTH, formula=formula.format(turns=turns, shared=divided))
