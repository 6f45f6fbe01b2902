"""Iterations of different cost, by the bounds of an inner loop; and calls by which iterations can be counted.

Together they show whether ranks differ in the number of iterations, or in their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from .calls import bare
from .effects import expressions_of
from .expression import ArrayRef, Binary, Call, Deref, Expression, FieldRef, Name, Opaque, Unary, parts, walk
from .nest import Assignment, Block, Branch, Jump, Loop, Statement, statements

__all__ = ["Inner", "OnceATurn", "decided_by_data", "made_in", "once_a_turn", "resolved"]

_DEEPEST: Final = 8  # limit of variables that hold other variables
_LAZY: Final = frozenset(("&&", "||"))
_FAR: Final = frozenset(("return", "goto", "stop"))


class Inner(NamedTuple):
    """An inner loop whose number of iterations depends on data.

    Attributes:
        loop: The inner loop.
        by: The array element that decides it, or a function of one.
    """

    loop: Loop
    by: Expression


@dataclass(frozen=True)
class OnceATurn:
    """The functions and loops that each iteration of a loop enters once.

    Attributes:
        functions: Names of functions that are called, in lower case.
        loops: Lines of loops.
    """

    functions: frozenset[str]
    loops: frozenset[int]


def made_in(loop: Loop) -> dict[Name, Expression]:
    """Return the values of variables that an iteration sets exactly once."""
    stored = [
        each for each, _ in statements(loop.body) if isinstance(each, Assignment) and isinstance(each.target, Name)
    ]
    times = Counter(each.target for each in stored)
    return {
        each.target: each.value
        for each in stored
        if isinstance(each.target, Name) and times[each.target] == 1 and not each.operator
    }


def resolved(head: Expression | None, made: Mapping[Name, Expression], depth: int = _DEEPEST) -> Expression | None:
    """Replace variables that hold sums, or addresses of elements, by their values."""
    match head:
        case Name() if head in made and depth:
            return resolved(made[head], made, depth - 1)
        case Binary(operator, left, right):
            left, right = resolved(left, made, depth) or left, resolved(right, made, depth) or right
            return Binary(operator, left, right)
        case Unary("&", ArrayRef(array, (subscript,))):
            return Binary("+", array, subscript)
    return head


def decided_by_data(loop: Loop) -> Inner | None:
    """Return an inner loop whose bounds depend on data that the outer iteration reads: ``at[i]``."""
    if loop.variable is None:
        return None
    made = made_in(loop)
    for each, _ in statements(loop.body):
        if isinstance(each, Loop):
            for head in (each.first, each.last, each.condition):
                found = resolved(head, made)
                for by in walk(found) if found is not None else ():
                    if _is_data(by, loop.variable, made):
                        return Inner(each, by)
    return None


def _is_data(expression: Expression, variable: Name, made: Mapping[Name, Expression]) -> bool:
    """Return whether a value is read from memory at a place that depends on a variable, directly or indirectly."""
    match expression:
        case ArrayRef(array=inner, subscripts=subscripts):
            return any(_uses(each, variable, made) for each in subscripts) or _is_data(inner, variable, made)
        case Deref(pointer=inner):
            return _uses(inner, variable, made)
        case FieldRef(structure=inner):
            return _is_data(inner, variable, made)
        case Call(arguments=arguments):
            given = (part for each in arguments for part in walk(each) if not isinstance(part, Call))
            return any(_is_data(part, variable, made) for part in given)
    return False


def _uses(expression: Expression, variable: Name, made: Mapping[Name, Expression]) -> bool:
    """Return whether an expression contains a variable, directly or through the values of its variables."""
    seen: set[Name] = set()
    pending = [expression]
    while pending:
        names = {each for each in walk(pending.pop()) if isinstance(each, Name)}
        if variable in names:
            return True
        pending += [made[each] for each in names - seen if each in made]
        seen |= names
    return False


def once_a_turn(loop: Loop) -> OnceATurn:
    """Return the functions and loops that each iteration of a loop enters exactly once."""
    expressions = (each for statement, _ in statements(loop.body) for each in expressions_of(statement))
    times = Counter(bare(each.name) for whole in expressions for each in walk(whole) if isinstance(each, Call))
    always = [*_always(loop.body)]
    called = {bare(each.name) for one in always if not isinstance(one, Loop) for each in _calls_always(one)}
    loops = frozenset(each.line for each in always if isinstance(each, Loop))
    return OnceATurn(frozenset(each for each in called if times[each] == 1), loops)


def _always(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield the statements that each iteration executes: those before the first possible exit."""
    for statement in body:
        jumps = [each for each, _ in statements([statement]) if isinstance(each, Jump)]
        if isinstance(statement, Loop):
            yield statement
            jumps = [each for each in jumps if each.label or each.kind in _FAR]
        elif not jumps:
            yield from _always(statement.body) if isinstance(statement, Block) else (statement,)
        if jumps:
            return


def _calls_always(statement: Statement) -> Iterator[Call]:
    found = expressions_of(statement)
    # Only the first condition of a branch is always evaluated.
    for expression in islice(found, 1) if isinstance(statement, Branch) else found:
        yield from (each for each in _computed(expression) if isinstance(each, Call))


def _computed(expression: Expression) -> Iterator[Expression]:
    """Yield the parts of an expression that are always evaluated."""
    yield expression
    if isinstance(expression, Opaque):
        return
    is_lazy = isinstance(expression, Binary) and expression.operator in _LAZY
    for each in islice(parts(expression), 1 if is_lazy else None):
        yield from _computed(each)
