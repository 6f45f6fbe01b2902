"""Sums of products of integers and symbols, such as ``i*n + j + 1``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from .expression import ArrayRef, Binary, Deref, Expression, FieldRef, Name, Number, Unary

__all__ = ["Monomial", "Polynomial", "polynomial"]

Monomial = tuple[Expression, ...]
"""A product of symbols, in a fixed order; empty for the number 1."""

_MOST_TERMS: Final = 64  # limit on the number of terms, because products of sums grow exponentially
_SYMBOLS: Final = (Name, FieldRef, ArrayRef, Deref)


@dataclass(frozen=True)
class Polynomial:
    """A sum of products.

    Attributes:
        terms: Product → its coefficient, never 0.
    """

    terms: Mapping[Monomial, int]

    @classmethod
    def of(cls, value: int) -> Polynomial:
        """Return a number as a polynomial."""
        return cls({(): value} if value else {})

    @classmethod
    def symbol(cls, symbol: Expression) -> Polynomial:
        """Return a symbol as a polynomial."""
        return cls({(symbol,): 1})

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, value in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + value
        return Polynomial({monomial: value for monomial, value in terms.items() if value})

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -value for monomial, value in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        found = Polynomial({})
        for left, one in self.terms.items():
            for right, two in other.terms.items():
                found += Polynomial({tuple(sorted((*left, *right), key=repr)): one * two})
        return found

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    @property
    def value(self) -> int | None:
        """The number, if the polynomial has no symbols; otherwise None."""
        return None if self.terms.keys() - {()} else self.terms.get((), 0)

    @property
    def symbols(self) -> frozenset[Expression]:
        """All symbols in the polynomial."""
        return frozenset(symbol for monomial in self.terms for symbol in monomial)

    def coefficient(self, symbol: Expression) -> Polynomial | None:
        """Return the coefficient of a symbol; None if the symbol occurs in a higher power."""
        found = {}
        for monomial, value in self.terms.items():
            if symbol in monomial:
                rest = tuple(each for each in monomial if each != symbol)
                if len(rest) != len(monomial) - 1:
                    return None
                found[rest] = value
        return Polynomial(found)


def polynomial(
    expression: Expression, value_of: Callable[[Expression], Polynomial | None] = Polynomial.symbol
) -> Polynomial | None:
    """Convert an expression to a polynomial; None if it has other operations, such as quotients, or too many terms.

    Args:
        expression: The expression.
        value_of: Returns the value of a variable or another reference; None if unknown.
    """
    match expression:
        case Number(value=int(value)):
            return Polynomial.of(value)
        case Unary(operator="-", operand=operand):
            inner = polynomial(operand, value_of)
            return None if inner is None else -inner
        case Unary(operator="+", operand=operand):
            return polynomial(operand, value_of)
        case Binary(operator="+" | "-" | "*" as operator):
            return _combined(operator, *(polynomial(each, value_of) for each in (expression.left, expression.right)))
        case Binary(operator="<<", left=left, right=Number(value=int(bits))) if 0 <= bits < 32:
            return _combined("*", polynomial(left, value_of), Polynomial.of(1 << bits))
        case _:
            return value_of(expression) if isinstance(expression, _SYMBOLS) else None


def _combined(operator: str, left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    if left is None or right is None or len(left.terms) * len(right.terms) > _MOST_TERMS:
        return None
    return left + right if operator == "+" else left - right if operator == "-" else left * right
