"""Loops may be interchanged only if the results stay the same; both orders are executed to check this."""

from __future__ import annotations

import pytest

from autoanalyzer.advise.dependence import Order, interchange, perfect_nest
from autoanalyzer.advise.expression import ArrayRef, Binary, Name, Number
from autoanalyzer.advise.nest import Assignment, Declaration, Loop, Procedure, SourceFile

from .nests import Machine, Nests, interchanged

_APART = 7  # distance between the two arrays in elements, if they overlap


def _tried(seed: int) -> tuple[Order, bool]:
    """Judge a nest; return the verdict, and whether both loop orders give the same results."""
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
    counts = _try(range(100))
    assert counts[Order.INDEPENDENT, True] > 15
    assert counts[Order.UNKNOWN, False] > 15


@pytest.mark.nightly
def test_ten_thousand_nests_do_the_same_in_either_order():
    assert sum(_try(range(100, 10_300)).values()) == 10_200


def test_a_body_without_end_is_unknown():
    i, j = Name("i"), Name("j")
    body = tuple(Assignment(ArrayRef(Name("a"), (i, Binary("+", j, Number(k)))), Number(0)) for k in range(1000))
    inner = Loop(body, j, Number(0), Number(9), Number(1))
    outer = Loop((inner,), i, Number(0), Number(9), Number(1))
    source = SourceFile("c", "x.c", (Procedure("f", body=(outer,)),), (Declaration("a", extents=(Number(9),)),))
    found = interchange(source, source.procedures[0], outer, inner)
    assert found.order is Order.UNKNOWN
    assert "too many memory accesses" in found.reasons[0]


MAY_OVERLAP = {
    "a reference": "double a[9][9]; void f(double *b, const double &x) { {LOOPS} b[9 * i + j] = x + 1; }",
    "a global": "double x; void f(double *b) { {LOOPS} b[9 * i + j] = x + 1; }",
    "a bound": "int n; void f(int *b) { for (int i = 0; i < n; i++) for (int j = 0; j < 9; j++) b[9 * i + j] = 1; }",
    "a structure": "struct s { double x; }; void f(s *a, double *b) { {LOOPS} { a[9 * i + j] = s(); b[9 * j] = 1; } }",
    "rows": "void f(double **b) { {LOOPS} b[i][j] = 1; }",
}


@pytest.mark.parametrize("name", MAY_OVERLAP)
def test_what_may_overlap_is_unknown(name, site):
    loops = "for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++)"
    found = site(MAY_OVERLAP[name].replace("{LOOPS}", loops), "x.cpp")
    outer, inner = [each for each, _ in found.loops]
    assert interchange(found.source, found.procedure, outer, inner).order is Order.UNKNOWN


NO_OVERLAP = {
    "arrays": "double a[9][9], b[9][9]; void f(double x) { {LOOPS} b[j][i] = a[i][j] + x; }",
    "of other types": "double b[9][9]; void f(int *x) { {LOOPS} b[i][j] = *x; }",
    "restricted": "void f(double *__restrict a, double *__restrict b) { {LOOPS} b[9 * i + j] = a[9 * j + i]; }",
    "a sum": "double f(const double *a) { double s = 0; {LOOPS} s += a[9 * j + i]; return s; }",
    "a variable of each turn": "void f(double *b) { {LOOPS} { double t = b[9 * i + j]; b[9 * i + j] = t * t; } }",
}


@pytest.mark.parametrize("name", NO_OVERLAP)
def test_what_cannot_overlap_is_independent(name, site):
    loops = "for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++)"
    found = site(NO_OVERLAP[name].replace("{LOOPS}", loops), "x.cpp")
    outer, inner = [each for each, _ in found.loops]
    assert interchange(found.source, found.procedure, outer, inner).order is Order.INDEPENDENT
