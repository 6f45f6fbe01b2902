"""Random nests of loops, a machine that runs them in Python, and the same nests with their loops interchanged."""

from __future__ import annotations

import operator
from dataclasses import replace
from random import Random

from autoanalyzer.advise.dependence import perfect_nest
from autoanalyzer.advise.expression import ArrayRef, Binary, Call, Element, Expression, Name, Number
from autoanalyzer.advise.nest import Arm, Assignment, Branch, Declaration, Jump, Loop, Procedure, SourceFile, Statement

REAL, INTEGER = Element("real", 8), Element("integer", 8)
N = 5
_PRIME = 1_000_003
_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "%": operator.mod,
    "<": operator.lt,
    "==": operator.eq,
}


class Nests:
    """Draws a random nest of two or three loops, sometimes with another loop inside, over arrays that may overlap."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.depth = self._random.choice((2, 2, 2, 3))
        self.variables = ["i", "j", "k"][: self.depth]
        self.flat = self._random.random() < 0.3  # arrays have one dimension, and subscripts are computed from two
        self.pointers = self._random.random() < 0.2

    def source(self) -> SourceFile:
        names = [*self.variables, "l", "n", "m"]
        declarations = [Declaration(name, INTEGER, is_argument=name in "nm", intent="in") for name in names]
        declarations += [Declaration(name, INTEGER) for name in ("s", "t")]
        extents = (None,) if self.flat else (Number(N), Number(N))
        declarations += [
            Declaration(name, REAL, extents, is_argument=True, may_overlap=self.pointers) for name in ("a", "b")
        ]
        after = (
            [Assignment(ArrayRef(Name("a"), self._zeros()), Name(self._random.choice("st")))]
            if self._random.random() < 0.2
            else []
        )
        body = [self._loop(0), *after]
        procedure = Procedure("f", ("a", "b", "n", "m"), tuple(declarations), tuple(body), 1, 99)
        return SourceFile("c", "nest.c", (procedure,))

    def _zeros(self) -> tuple[Expression, ...]:
        return (Number(0),) if self.flat else (Number(0), Number(0))

    def _loop(self, level: int) -> Loop:
        draw = self._random
        inner = (self._loop(level + 1),) if level + 1 < self.depth else self._body()
        first, last = draw.choice(
            [(Number(0), Number(N - 1))] * 3
            + [(Number(1), Number(N - 2)), (Number(0), Binary("-", Name("n"), Number(1))), (Name("m"), Name("n"))]
            + ([(Name(self.variables[level - 1]), Number(N - 1))] if level else [])
        )
        step = draw.choice((1, 1, 1, 1, 1, 2, -1, -2))
        if step < 0:
            first, last = last, first
        return Loop(tuple(inner), Name(self.variables[level]), first, last, Number(step), line=level + 1)

    def _body(self, *, within: bool = False) -> list[Statement]:
        draw, found = self._random, []
        for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
            kind = draw.random()
            if kind < 0.12 and not within:
                body = tuple(self._body(within=True))
                last = draw.choice((Number(N - 1), Name("n"), Name("i")))
                found.append(Loop(body, Name("l"), Number(0), last, Number(1), line=8))
            elif kind < 0.25:
                condition = Binary(draw.choice(("<", "==")), self._number(within), self._number(within))
                jump = [Jump("cycle")] if draw.random() < 0.3 else self._body(within=within)[:1]
                found.append(Branch((Arm(condition, tuple(jump)), Arm(None, (self._assignment(within),)))))
            else:
                found.append(self._assignment(within))
        return found

    def _assignment(self, within: bool) -> Assignment:
        draw = self._random
        how = draw.choice(("", "", "", "+", "-", "*"))
        if draw.random() < 0.3:
            name = Name(draw.choice(("s", "t")))
            value = self._number(within) if draw.random() < 0.5 else self._value(within)
            if draw.random() < 0.2:
                return Assignment(name, Call("max", (name, value), is_pure=True))
            return Assignment(name, value, how)
        return Assignment(self._element(within), self._value(within), how)

    def _value(self, within: bool) -> Expression:
        draw = self._random
        some = [self._element, self._element, lambda _: Name(draw.choice(("s", "t"))), self._number]
        value = draw.choice(some)(within)
        return Binary(draw.choice("+-"), value, draw.choice(some)(within)) if draw.random() < 0.6 else value

    def _number(self, within: bool) -> Expression:
        draw = self._random
        names = [*self.variables, *(["l"] if within else [])]
        found: Expression = Name(draw.choice(names))
        if draw.random() < 0.15:
            found = Binary("*", Number(draw.choice((-1, 2))), found)
        if draw.random() < 0.2:
            found = Binary(draw.choice("+-"), found, Name(draw.choice([*names, "m"])))
        if draw.random() < 0.05:
            found = Binary("%", found, Number(3))
        if draw.random() < 0.5:
            found = Binary(draw.choice("+-"), found, Number(draw.choice((1, 1, 2))))
        return found

    def _element(self, within: bool) -> ArrayRef:
        draw, name = self._random, Name(self._random.choice("aab"))
        names = [Name(each) for each in [*self.variables, *(["l"] if within else []), *(["t"] * (draw.random() < 0.2))]]
        pair = draw.sample(names, 2) if draw.random() < 0.8 else [self._number(within), self._number(within)]
        if draw.random() < 0.4:
            at = draw.randrange(2)
            pair[at] = Binary(draw.choice("+-"), pair[at], Number(1))
        if not self.flat:
            return ArrayRef(name, tuple(pair), REAL, (Number(N), Number(N)))
        row = Binary("*", pair[0], draw.choice((Name("n"), Name("n"), Number(N))))
        return ArrayRef(name, (Binary("+", row, pair[1]),), REAL, (None,))


class Machine:
    """Runs a nest.

    Args:
        overlap: Distance between the beginnings of the two arrays, in units of the first subscript; 0: no overlap.
        n: The value of the variable ``n``, which may be a bound of loops.
        m: The value of the variable ``m``, which may be a bound of loops.
    """

    def __init__(self, overlap: int = 0, n: int = N, m: int = 1) -> None:
        self.memory = {"n": n, "m": m, "s": 3, "t": 5}
        self._at = {"a": 0, "b": overlap or 10**9}

    def run(self, body: tuple[Statement, ...]) -> bool:
        """Run statements; return whether the iteration continues after them."""
        return all(self._statement(each) for each in body)

    def result(self) -> dict[object, int]:
        """Return the elements of the arrays by their place, modulo a prime; other variables are the procedure's own."""
        return {key: value % _PRIME for key, value in self.memory.items() if not isinstance(key, str)}

    def _statement(self, statement: Statement) -> bool:
        match statement:
            case Loop():
                first, last, step = (self._of(each) for each in (statement.first, statement.last, statement.step))
                for value in range(first, last + (1 if step > 0 else -1), step):
                    self.memory[statement.variable.name] = value
                    self.run(statement.body)
            case Branch(arms=arms):
                for arm in arms:
                    if arm.condition is None or self._of(arm.condition):
                        return self.run(arm.body)
            case Jump():
                return False
            case Assignment():
                value, place = self._of(statement.value), self._place(statement.target)
                if statement.operator:
                    value = _OPERATORS[statement.operator](self._read(place), value)
                # Values stay small, because variables may be subscripts.
                self.memory[place] = value if abs(value) < _PRIME else value % _PRIME
        return True

    def _place(self, target: Expression) -> object:
        if isinstance(target, Name):
            return target.name
        subscripts = [self._of(each) for each in target.subscripts]
        if len(subscripts) == 1:
            return self._at[target.array.name] + subscripts[0]
        return (self._at[target.array.name] + subscripts[0], subscripts[1])

    def _read(self, place: object) -> int:
        return self.memory.get(place, hash((1, place)) % 97)

    def _of(self, expression: Expression) -> int:
        match expression:
            case Number(value=value):
                return value
            case Binary(operator=operator_, left=left, right=right):
                return _OPERATORS[operator_](self._of(left), self._of(right))
            case Call(arguments=arguments):
                return max(map(self._of, arguments))
            case _:
                return self._read(self._place(expression))


def interchanged(nest: Loop) -> Loop:
    """Return a nest with its first and last loop interchanged."""
    loops = perfect_nest(nest)
    heads = [loops[-1], *loops[1:-1], loops[0]]
    body = loops[-1].body
    for head in reversed(heads):
        body = (replace(head, body=body),)
    return body[0]
