"""A case: a program with planted faults, and the same program with all of them cured, drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .c_family import print_c, print_cxx
from .faults import KINDS, Sketch, Truth, computing, share
from .fortran import print_f77, print_f90
from .program import EDGE, Loop, Phase, Place, Printed, Program, Work

PRINTERS = {"c": print_c, "f90": print_f90, "cxx": print_cxx, "f77": print_f77}
STRENGTHS = (0.02, 0.05, 0.1, 0.3)
CONTROL = "control"  # a case without a fault
_ROUND = (*KINDS, CONTROL)
_NAMES = [
    "relax",
    "advect",
    "diffuse",
    "energy",
    "react",
    "project",
    "coarsen",
    "correct",
    "couple",
    "deposit",
    "absorb",
    "scatter",
    "limit",
    "smooth",
    "rotate",
    "transport",
    "balance",
    "interpolate",
    "prolong",
    "emit",
    "sweep",
    "damp",
    "compress",
    "refine",
    "filter",
    "condense",
    "evaporate",
    "ionize",
    "remap",
    "precondition",
    "collide",
]
_STEPS = 20
_MOST = 0.5  # maximum share of the run that faults take
# Faults that are planted alone. In a program with threads, threads are compared instead of ranks. Ranks that work one
# after another are also late in the rest of the step, which hides other faults.
_ALONE = ("threads", "chain", "wavefront", "alternating", "token")
_OTHERS = (4, 6)  # minimum and maximum number of phases without a fault


@dataclass(frozen=True)
class Case:
    """The programs of a seed, and their faults; the kind is that of the first fault, or ``control``."""

    seed: int
    kind: str
    language: str
    faulty: Program
    cured: Program
    truths: tuple[Truth, ...]

    def printed(self, cured: bool = False) -> Printed:
        """Return the sources of the cured or the faulty program."""
        return PRINTERS[self.language](self.cured if cured else self.faulty)


def drawn_names(random: Random) -> list[str]:
    """Return the names of phases in random order."""
    return random.sample(_NAMES, len(_NAMES))


def kind_of(seed: int) -> str:
    """Return the kind of a seed's first fault, or ``control``; successive seeds have successive kinds."""
    return _ROUND[seed % len(_ROUND)]


def language_of(seed: int) -> str:
    """Return a seed's language; rounds through all kinds begin with different ones, so four have all combinations."""
    return (*PRINTERS,)[(seed % len(_ROUND) + seed // len(_ROUND)) % len(PRINTERS)]


def case_of(seed: int, *, seconds: float = 0.8) -> Case:
    """Return the case of a seed; each rank of its programs computes for about ``seconds``."""
    random = Random(seed)
    first = kind_of(seed)
    others = [each for each in KINDS if each not in (*_ALONE, first)]
    more = 0 if first in (*_ALONE, CONTROL) else random.choice((0, 0, 0, 0, 1, 1, 2))
    kinds, left, planted = [] if first == CONTROL else [first, *random.sample(others, more)], _MOST, []
    for kind in kinds:
        # Instructions are a fault only if phases without a fault execute fewer.
        strengths = STRENGTHS[3:] if kind == "instructions" else STRENGTHS
        strength = random.choice([each for each in strengths if each <= left] or strengths[:1])
        left -= strength
        planted.append((kind, strength))
    ranks = 2 if first == "threads" else 4
    return _drawn(random, seed, language_of(seed), planted, seconds=seconds, steps=_STEPS, ranks=ranks)


def case_of_kinds(kinds: Sequence[str], language: str, *, seed: int, seconds: float, steps: int, ranks: int) -> Case:
    """Return a case with a fault of each of these kinds, to test generators and probes; no verdict could separate them.

    Args:
        kinds: The kinds of faults.
        language: A key of ``PRINTERS``.
        seed: The seed of all random choices.
        seconds: How long each rank computes.
        steps: The number of steps.
        ranks: The number of ranks.
    """
    planted = [(kind, _MOST / len(kinds)) for kind in kinds]
    return _drawn(Random(seed), seed, language, planted, seconds=seconds, steps=steps, ranks=ranks)


def _drawn(
    random: Random,
    seed: int,
    language: str,
    planted: list[tuple[str, float]],
    *,
    seconds: float,
    steps: int,
    ranks: int,
) -> Case:
    names = drawn_names(random)

    def sketch(strength: float = 0) -> Sketch:
        return Sketch(random, names.pop(), random.choice((*Place,)), strength, seconds, steps, ranks, language)

    faulty, cured, truths = [], [], []
    for kind, strength in planted:
        bad, good, truth = KINDS[kind](sketch(strength))
        faulty.append(bad)
        cured.append(good)
        truths.append(truth)
    left = 0.9 - sum(strength for _, strength in planted)
    if len(truths) == 1 and truths[0].in_turn:
        left += 0.1 - share(cured[0], seconds=seconds, steps=steps)
    weights = [random.uniform(0.3, 1) for _ in range(random.randint(*_OTHERS))]
    for weight in weights:
        place = sketch()
        loops = 2 if place.place is Place.LOOP else random.choice((1, 2))
        each = weight / sum(weights) * left / loops
        phase = Phase(place.name, place.place, tuple(computing(place, each) for _ in range(loops)))
        at = random.randint(0, len(faulty))
        faulty.insert(at, phase)
        cured.insert(at, phase)
    halo = Phase(names.pop(), random.choice((*Place,)), (Loop(Work.EXCHANGE, (1,) * ranks, EDGE),))
    layout = random.choice(("main", "solve", "advance"))
    kinds = [kind for kind, _ in planted] or [CONTROL]
    threads = 2 if "threads" in kinds else 1
    programs = [Program((*each, halo), steps, ranks, threads, layout) for each in (faulty, cured)]
    return Case(seed, kinds[0], language, programs[0], programs[1], tuple(truths))
