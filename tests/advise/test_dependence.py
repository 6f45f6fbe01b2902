"""Loops may change places where that changes nothing: tried by running both orders."""

from __future__ import annotations

import pytest

from autoanalyzer.advise.dependence import Order, interchange, perfect_nest
from autoanalyzer.advise.expression import ArrayRef, Binary, Name, Number
from autoanalyzer.advise.nest import Assignment, Declaration, Loop, Procedure, SourceFile

from .nests import Machine, Nests, interchanged

_APART = 7  # elements from one array to the other, if they overlap


def _tried(seed: int) -> tuple[Order, bool]:
    """Judge a nest, and tell whether its results are the same in both orders."""
    nests = Nests(seed)
    source = nests.source()
    procedure = source.procedures[0]
    nest = procedure.body[0]
    found = interchange(source, procedure, nest, perfect_nest(nest)[-1])
    cases = [
        (n, m, apart) for n, m in ((5, 1), (3, 0), (1, 2)) for apart in ((0, 1, _APART) if nests.pointers else (0,))
    ]
    same = True
    for n, m, apart in cases:
        machines = Machine(apart, n, m), Machine(apart, n, m)
        for machine, first in zip(machines, (nest, interchanged(nest)), strict=True):
            machine.run((first, *procedure.body[1:]))
        same = same and machines[0].result() == machines[1].result()
    return found.order, same


def _try(seeds: range) -> dict[tuple[Order, bool], int]:
    counts: dict[tuple[Order, bool], int] = {}
    for seed in seeds:
        found = _tried(seed)
        assert found != (Order.INDEPENDENT, False), f"seed {seed}"
        counts[found] = counts.get(found, 0) + 1
    return counts


def test_loops_that_may_change_places_do_the_same_in_either_order():
    counts = _try(range(300))
    assert counts[Order.INDEPENDENT, True] > 50
    assert counts[Order.UNKNOWN, False] > 50


@pytest.mark.measured
def test_ten_thousand_nests_do_the_same_in_either_order():
    assert sum(_try(range(300, 10_300)).values()) == 10_000


def test_a_body_without_end_is_unknown():
    i, j = Name("i"), Name("j")
    body = tuple(Assignment(ArrayRef(Name("a"), (i, Binary("+", j, Number(k)))), Number(0)) for k in range(1000))
    inner = Loop(body, j, Number(0), Number(9), Number(1))
    outer = Loop((inner,), i, Number(0), Number(9), Number(1))
    source = SourceFile("c", "x.c", (Procedure("f", body=(outer,)),), (Declaration("a", extents=(Number(9),)),))
    found = interchange(source, source.procedures[0], outer, inner)
    assert found.order is Order.UNKNOWN
    assert "too much" in found.reasons[0]
