"""Programs lose as much by scaling as is planted in them, and verdicts on them are scored by place and cause."""

from __future__ import annotations

import argparse
import re
from typing import Any

import pytest

from ..case import PRINTERS
from ..program import FIELD, Loop, Phase, Position, Tail, Work
from .__main__ import COUNTED, TIMED, chosen
from .case import FAULTS, RANKS, language_of, scaled_case
from .score import planted_in, scored

MOST = RANKS[-1]


def turns(loop: Loop, ranks: int) -> list[int]:
    """Return the iterations of each rank; integers are divided as in C and in Fortran."""
    code = compile(loop.formula.replace("/", "//"), "formula", "eval")
    return [eval(code, {"rank": rank, "ranks": ranks}) for rank in range(ranks)]


def on_path(phase: Phase, ranks: int) -> int:
    work = [turns(loop, ranks) for loop in phase.loops if loop.work is Work.SMOOTH]
    return sum((sum if phase.tail is Tail.CHAIN else max)(each) for each in work)


@pytest.mark.parametrize("seed", range(2 * len(FAULTS) + 1))
def test_a_program_loses_what_is_planted_at_the_largest_number_of_ranks(seed: int) -> None:
    case = scaled_case(seed, seconds=1.0)
    assert len(case.truths) == (0 if seed == 2 * len(FAULTS) else 1 + (seed >= len(FAULTS)))
    lengths = {ranks: sum(on_path(phase, ranks) for phase in case.program.phases) for ranks in (1, MOST)}
    lost = 1 - lengths[1] / (MOST * lengths[MOST])
    # Work that the faulty loops divide, or execute on one rank, reduces the share of the loss.
    assert lost == pytest.approx(sum(each.strength for each in case.truths), rel=0.12, abs=0.001)
    printed = case.printed()
    for each in planted_in(case.truths, printed):
        assert each.places
    assert case.printed() == printed
    # No program contains an array that every rank would have to prepare.
    large = re.compile(rf"\b({2 * FIELD}|{2 * FIELD - 1})\b")
    assert not any(map(large.search, printed.texts.values()))


def test_seeds_go_through_all_languages() -> None:
    number = 2 * len(FAULTS) + 1
    assert {language_of(seed) for seed in range(number)} == {language_of(each * number) for each in range(4)}
    assert {language_of(seed) for seed in range(number)} == {*PRINTERS}


def document(
    *losses: tuple[str, Position | None, float], uncertain: bool = False, mode: str = "strong"
) -> dict[str, Any]:
    found = [
        {
            "kind": kind,
            "file": at.file if at else "",
            "line": at.line if at else 0,
            "rank_seconds": seconds,
            "uncertain": uncertain,
        }
        for kind, at, seconds in losses
    ]
    return {
        "mode": mode,
        "lost": {"rank_seconds": sum(each[2] for each in losses), "of": 10.0},
        "losses": found,
        "predictions": [{"metric": "visits", "measured": 100.0, "predicted": 101.0}],
    }


def test_a_verdict_is_right_with_the_first_cause_and_nothing_invented() -> None:
    case = scaled_case(0, seconds=1.0)
    planted = planted_in(case.truths, case.printed())
    place, elsewhere = planted[0].places[0], Position("main.c", 1)
    right = scored(planted, document(("replicated", place, 3.0), ("not_explained", None, 0.5)))
    assert (right.right, right.found, right.measured, right.unexplained) == (True, (True,), (0.3,), 0.05)
    assert right.held == {"visits": pytest.approx(0.01)}
    assert not scored(planted, document(("grows", place, 3.0))).first
    assert not scored(planted, document(("replicated", elsewhere, 3.0))).first
    invented = scored(planted, document(("replicated", place, 3.0), ("imbalance", elsewhere, 0.3)))
    assert (invented.first, invented.right) == (True, False)
    assert scored(planted, document(("replicated", place, 3.0), ("imbalance", elsewhere, 0.1))).right
    assert scored((), document(("transfer", elsewhere, 3.0))).right
    assert not scored(planted, document(("replicated", place, 3.0), mode="weak")).right


def test_a_verdict_is_hedged_if_its_first_cause_is_uncertain_or_it_has_none() -> None:
    case = scaled_case(0, seconds=1.0)
    planted = planted_in(case.truths, case.printed())
    loss = "grows", Position("main.c", 1), 3.0
    hedged, certain = (scored(planted, document(loss, uncertain=each)) for each in (True, False))
    assert (hedged.first, hedged.hedged, [what for what, _ in hedged.invented]) == (False, True, ["grows? main.c:1"])
    assert (certain.hedged, [what for what, _ in certain.invented]) == (False, ["grows main.c:1"])
    none = scored(planted, document(("slow_core", None, 3.0), ("not_explained", None, 4.0)))
    assert (none.first, none.hedged, none.ahead) == (False, True, ("slow_core",))


def test_a_series_has_as_many_faulty_and_clean_programs_as_asked_for() -> None:
    options = {"cases": 16, "clean": 2, "seed": 0, "seconds": 1.0}
    counted = [*chosen(argparse.Namespace(**options, load=0))]
    assert [case.seed for case, _ in counted] == [*range(14), 15, 16, 0, 1]
    assert [bool(case.truths) for case, _ in counted] == [True] * 16 + [False] * 2
    both = [*chosen(argparse.Namespace(**options, load=8))]
    assert [how for _, how in both] == [COUNTED] * 18 + [TIMED] * 18
