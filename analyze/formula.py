"""Metrics that formulas derive from others, ``ipc = instructions / cycles`` (paper 003), and which are asked for."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from ..errors import UsageError, way_out
from .arrays import Values

__all__ = ["BUILT_IN", "Formula", "WantedMetrics", "built_in", "measured", "parts"]

# What can be asked for by name where its parts were measured.
BUILT_IN: Final = (
    "compute_time = cpu_time - mpi_cpu_time",
    "l1_miss_rate = l1_misses / l1_accesses",
    "l2_miss_rate = l2_misses / l2_accesses",
    "cpi = cycles / instructions",
    "cpi = ref_cycles / instructions",
    "ipc = instructions / cycles",
    "ipc = instructions / ref_cycles",
)

# What can be asked for, too, but tells nothing beside the former: nothing is searched by these.
_ON_REQUEST: Final = (
    "l1_mpki = 1000 * l1_misses / instructions",
    "l2_mpki = 1000 * l2_misses / instructions",
    "mpi_rate = mpi_bytes / mpi_time",
    "io_rate = io_bytes / io_time",
)

_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_SIGNS: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_FUNCTIONS: Final[dict[str, tuple[Callable[..., Any], int]]] = {
    "abs": (np.abs, 1),
    "sqrt": (np.sqrt, 1),
    "log": (np.log, 1),
    "min": (np.minimum, 2),
    "max": (np.maximum, 2),
}
_BRACKETS: Final = re.compile(r"\[([^\[\]]+)\]")
_EXPECTED: Final = "expected NAME=FORMULA with metrics, numbers, + - * / **, parentheses, abs, sqrt, log, min and max"
_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class Formula:
    """How a metric comes from others.

    Attributes:
        name: What it is called.
        text: The formula as it was written.
        metrics: The metrics it is made of.
    """

    name: str
    text: str
    metrics: tuple[str, ...]
    _tree: ast.expr
    _names: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read ``NAME=FORMULA``; a metric whose name is no word stands in brackets: ``[bytes sent]/visits``.

        Raises:
            UsageError: It is none.
        """
        name, equals, body = (each.strip() for each in text.partition("="))
        if not (name and equals and body) or len(text) > _LONGEST:
            raise UsageError(f"{text[:_LONGEST]}: {_EXPECTED}")
        bracketed: dict[str, str] = {}

        def placeholder(match: re.Match[str]) -> str:
            word = f"_bracketed_{len(bracketed)}"
            bracketed[word] = match[1].strip()
            return f" {word} "

        try:
            tree = ast.parse(_BRACKETS.sub(placeholder, body), mode="eval").body
            names = _names(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = f" ({error})" if type(error) is ValueError else ""
            raise UsageError(f"{text}: {_EXPECTED}{why}") from None
        meant = {word: bracketed.get(word, word) for word in names}
        return cls(name, body, tuple(dict.fromkeys(meant.values())), tree, meant)

    def evaluate(self, columns: Mapping[str, Values]) -> Values:
        """Compute it for each point; missing (NaN) where it has no value, as by a division by zero."""
        shape = next((columns[name].shape for name in self.metrics), ())
        with np.errstate(all="ignore"):
            found = np.asarray(_value(self._tree, {word: columns[name] for word, name in self._names.items()}))
        return np.where(np.isfinite(found), found, np.nan) + np.zeros(shape)

    def unit(self, units: Mapping[str, str]) -> str:
        """Tell the unit of sums and differences of one unit; empty of all else."""
        return _unit(self._tree, {word: units.get(name, "") for word, name in self._names.items()})


@cache
def built_in() -> tuple[Formula, ...]:
    """Give the formulas of ``BUILT_IN``."""
    return tuple(map(Formula.parse, BUILT_IN))


@cache
def _on_request() -> tuple[Formula, ...]:
    return tuple(map(Formula.parse, _ON_REQUEST))


def parts(formulas: Iterable[Formula]) -> dict[str, tuple[str, ...]]:
    """Give the measured metrics of which each derived one is made; formulas stand after those that are in them."""
    found: dict[str, tuple[str, ...]] = {}
    for formula in formulas:
        found[formula.name] = measured(formula.metrics, found)
    return found


def measured(names: Iterable[str], made_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Give the metrics that must be measured for some metrics, each once; ``made_of`` as ``parts`` gives it."""
    return tuple(dict.fromkeys(part for name in names for part in made_of.get(name, (name,))))


def _unit(tree: ast.expr, units: Mapping[str, str]) -> str:
    match tree:
        case ast.Name(id=name):
            return units[name]
        case ast.UnaryOp(operand=operand):
            return _unit(operand, units)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _unit(left, units) if _unit(left, units) == _unit(right, units) else ""
    return ""


def _names(tree: ast.expr) -> list[str]:
    """List the words that stand for metrics.

    Raises:
        ValueError: There is something else than a formula has.
    """
    match tree:
        case ast.Name(id=name):
            return [name]
        case ast.Constant(value=value) if type(value) in (int, float):
            return []
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _names(left) + _names(right)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            return _names(operand)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            if len(arguments) != _FUNCTIONS[name][1]:
                raise ValueError(f"{name} takes {_FUNCTIONS[name][1]}")
            return [word for each in arguments for word in _names(each)]
    raise ValueError(f"found {ast.unparse(tree)}")


def _value(tree: ast.expr, columns: Mapping[str, Values]) -> Any:
    match tree:
        case ast.Name(id=name):
            return columns[name]
        case ast.Constant(value=value):
            return np.float64(value)  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, columns), _value(right, columns))
        case ast.UnaryOp(op=sign, operand=operand):
            return _SIGNS[type(sign)](_value(operand, columns))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name][0](*(_value(each, columns) for each in arguments))
    raise AssertionError(tree)


@dataclass(frozen=True, slots=True)
class WantedMetrics:
    """Metrics that are asked for.

    Attributes:
        names: Each once, in the order in which they are asked for.
        measured: Those that must be read: asked for, or part of a formula.
        formulas: Those that must be computed, parts first.
    """

    names: tuple[str, ...]
    measured: tuple[str, ...]
    formulas: tuple[Formula, ...]

    @classmethod
    def among(
        cls, measured: Sequence[str], names: Sequence[str] | None = None, derived: Sequence[Formula] = ()
    ) -> WantedMetrics:
        """Find what is asked for among the metrics that are there.

        Args:
            measured: Names of the metrics that are there. Built-in formulas of them are there, too.
            names: Those asked for; all that were measured if None.
            derived: Further ones that are asked for, each of what was measured or derived before.

        Raises:
            UsageError: A metric does not exist, or a derived one has the name of another.
        """
        formulas: dict[str, Formula] = {}
        own = {each.name for each in derived}
        for formula in (*built_in(), *_on_request()):
            known = {*measured, *formulas}
            if formula.name not in known | own and known.issuperset(formula.metrics):
                formulas[formula.name] = formula
        for formula in derived:
            words = f"{formula.name}={formula.text}"
            known = {*measured, *formulas}
            if formula.name in known:
                raise UsageError(f"{words}: expected a new name, found that of a metric")
            for name in formula.metrics:
                if name not in known:
                    raise UsageError(f"{words}: no metric {name!r}; {way_out(name, known)}")
            formulas[formula.name] = formula
        wanted = tuple(dict.fromkeys([*(measured if names is None else names), *(each.name for each in derived)]))
        for name in wanted:
            if name not in formulas and name not in measured:
                raise UsageError(f"no metric {name!r}; {way_out(name, [*measured, *formulas])}")
        needed = set(wanted)
        for formula in reversed(formulas.values()):
            if formula.name in needed:
                needed.update(formula.metrics)
        return cls(
            wanted,
            tuple(name for name in measured if name in needed),
            tuple(formula for formula in formulas.values() if formula.name in needed),
        )
