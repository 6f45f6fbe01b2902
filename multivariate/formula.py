"""Formulas that derive metrics from others: ``ipc = instructions / cycles`` (Ahn and Vetter)."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..analyze.run.arrays import Values
from ..errors import UsageError

__all__ = ["Formula", "measured", "parts"]

_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_SIGNS: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_SIGNS_OF: Final[dict[type[ast.operator] | type[ast.unaryop], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.USub: "-",
    ast.UAdd: "+",
}
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
    """A metric derived from others.

    Attributes:
        name: The metric's name.
        text: The formula as written.
        metrics: The metrics in the formula.
    """

    name: str
    text: str
    metrics: tuple[str, ...]
    _tree: ast.expr
    _names: Mapping[str, str]
    _known_unit: str | None = None

    @classmethod
    def parse(cls, text: str, *, unit: str | None = None) -> Formula:
        """Parse ``NAME=FORMULA``; a metric whose name is not a word is put in brackets: ``[bytes sent]/visits``.

        Args:
            text: The text to parse.
            unit: Unit of the result if known; if None, the unit follows from the metrics' units.

        Raises:
            UsageError: The text is not a formula.
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
            tree = ast.parse(_BRACKETS.sub(placeholder, body).strip(), mode="eval").body
            names = _names(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = f" ({error})" if type(error) is ValueError else ""
            raise UsageError(f"{text}: {_EXPECTED}{why}") from None
        meant = {word: bracketed.get(word, word) for word in names}
        return cls(name, body, tuple(dict.fromkeys(meant.values())), tree, meant, unit)

    def evaluate(self, columns: Mapping[str, Values]) -> Values:
        """Compute the formula for each point: ``float64[point]``; NaN if undefined, as after a division by zero.

        Args:
            columns: Metric → ``float64[point]``, at least for ``metrics``.
        """
        shape = next((columns[name].shape for name in self.metrics), ())
        with np.errstate(all="ignore"):
            found = np.asarray(_value(self._tree, {word: columns[name] for word, name in self._names.items()}))
        return np.where(np.isfinite(found), found, np.nan) + np.zeros(shape)

    def written(self) -> Any:
        """Return the formula as nested lists for JSON, each operator before its operands."""
        return _written(self._tree, self._names)

    def unit(self, units: Mapping[str, str]) -> str:
        """Return the unit given to ``parse``, or else the unit that all terms share; empty if there is neither.

        Only sums and differences of metrics have such a unit.

        Args:
            units: Metric → unit.
        """
        if self._known_unit is not None:
            return self._known_unit
        return _unit(self._tree, {word: units.get(name, "") for word, name in self._names.items()})


def parts(formulas: Iterable[Formula]) -> dict[str, tuple[str, ...]]:
    """Return the measured metrics in each derived metric; each formula must come after those that it uses."""
    found: dict[str, tuple[str, ...]] = {}
    for formula in formulas:
        found[formula.name] = measured(formula.metrics, found)
    return found


def measured(names: Iterable[str], made_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the metrics that must be measured to compute the given metrics, each once.

    ``made_of`` comes from ``parts``.
    """
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
    """Return the words in a formula that are names of metrics.

    Raises:
        ValueError: The formula contains anything other than arithmetic, numbers and names.
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
            _, count = _FUNCTIONS[name]
            if len(arguments) != count:
                raise ValueError(f"{name} takes {count} argument{'s' * (count > 1)}")
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


def _written(tree: ast.expr, names: Mapping[str, str]) -> Any:
    match tree:
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            return [_SIGNS_OF[type(op)], _written(left, names), _written(right, names)]
        case ast.UnaryOp(op=sign, operand=operand):
            return [_SIGNS_OF[type(sign)], _written(operand, names)]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return [name, *(_written(each, names) for each in arguments)]
    raise AssertionError(tree)
