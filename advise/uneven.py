"""Find iterations whose cost differs because of an inner loop's bounds, and calls by which iterations can be counted.

The bounds and the counts together show whether ranks differ in the number of iterations or in their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from .calls import bare
from .effects import expressions_of, written_names
from .expression import ArrayRef, Binary, Call, Deref, Expression, FieldRef, Name, Number, Opaque, Unary, parts, walk
from .nest import (
    Allocation,
    Assignment,
    Block,
    Branch,
    Declaration,
    InputOutput,
    Jump,
    Loop,
    OtherStatement,
    SourceFile,
    Statement,
    statements,
)
from .polynomial import Polynomial, polynomial

__all__ = [
    "Inner",
    "OnceATurn",
    "decided_by_data",
    "made_in",
    "may_differ",
    "once_a_turn",
    "resolved",
    "takes_neighbours",
    "uneven_by_counter",
]

_DEEPEST: Final = 8  # longest chain of variables that hold other variables
_LAZY: Final = frozenset(("&&", "||"))
_FAR: Final = frozenset(("return", "goto", "stop"))


class Inner(NamedTuple):
    """An inner loop whose number of iterations depends on data.

    Attributes:
        loop: The inner loop.
        by: The array element that decides the number of iterations or a function of such an element.
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
    """Replace variables that hold sums, or addresses of elements, with their values."""
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
    if loop.variable is None or _is_carried(loop):
        return None
    made = made_in(loop)
    for each, _ in statements(loop.body):
        # A loop that ends early, or waits for a condition, makes fewer iterations than its data allow.
        if isinstance(each, Loop) and each.variable is not None and not _leaves(each):
            for head in (each.first, each.last):
                found = resolved(head, made)
                for by in walk(found) if found is not None else ():
                    if _is_data(by, loop.variable, made):
                        return Inner(each, by)
    return None


def _is_carried(loop: Loop) -> bool:
    """Return whether iterations update the same array elements, so that they cannot be divided among ranks."""
    inside = [each for each, _ in statements(loop.body)]
    stored = [each.target for each in inside if isinstance(each, Assignment) and isinstance(each.target, ArrayRef)]
    fixed = {
        each.array
        for each in stored
        if not any(isinstance(part, ArrayRef) or part == loop.variable for sub in each.subscripts for part in walk(sub))
    }
    values = (part for each in inside if isinstance(each, Assignment) for part in walk(each.value))
    return any(isinstance(each, ArrayRef) and each.array in fixed for each in values)


def _leaves(loop: Loop) -> bool:
    jumps = [(each, loops) for each, loops in statements(loop.body) if isinstance(each, Jump)]
    return any(each.kind in _FAR or (each.kind == "exit" and (not loops or each.label)) for each, loops in jumps)


def _is_data(expression: Expression, variable: Name, made: Mapping[Name, Expression]) -> bool:
    """Return whether a value is read from an address that depends on a variable, directly or indirectly."""
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


def takes_neighbours(loop: Loop) -> bool:
    """Return whether iterations use the elements of other iterations: ``x[i - 1]`` and ``x[i]``.

    Indices and bounds, as in ``at[i]`` and ``at[i + 1]``, do not count.
    """
    offsets: dict[Expression, set[float]] = {}
    for statement, _ in statements(loop.body):
        for expression in expressions_of(statement) if not isinstance(statement, Loop) else ():
            for each in walk(expression):
                if isinstance(each, ArrayRef) and each.element.kind != "integer":
                    found = (_offset(part, loop.variable) for part in each.subscripts)
                    offsets.setdefault(each.array, set()).update(offset for offset in found if offset is not None)
    return any(len(each) > 1 for each in offsets.values())


def _offset(subscript: Expression, variable: Name | None) -> float | None:
    """Return the number that is added to a loop's variable in a subscript; None if the variable is not in it."""
    for each in walk(subscript):
        match each:
            case Binary(operator="+" | "-" as operator, left=left, right=Number(value=value)) if left == variable:
                return value if operator == "+" else -value
    return 0 if variable is not None and variable in {*walk(subscript)} else None


def uneven_by_counter(loop: Loop) -> Loop | None:
    """Return an inner loop whose bounds depend on the outer loop, unless other inner loops compensate for this."""
    made = made_in(loop)
    found: list[Loop] = []
    lengths: list[Polynomial | None] = []
    for each, around in statements(loop.body):
        if isinstance(each, Loop):
            first, last, condition = (resolved(head, made) for head in (each.first, each.last, each.condition))
            heads = (head for head in (first, last, condition) if head is not None)
            if any(part == loop.variable for head in heads for part in walk(head)) and not _is_even(first, last, loop):
                found.append(each)
                bounds = [None if head is None or around else polynomial(head) for head in (first, last)]
                lengths.append(bounds[1] - bounds[0] if bounds[0] is not None and bounds[1] is not None else None)
    total = Polynomial({})
    for length in lengths:
        if length is None:
            return found[0]
        total += length
    return found[0] if found and loop.variable in total.symbols else None


def _is_even(first: Expression | None, last: Expression | None, loop: Loop) -> bool:
    """Return whether the length of an inner loop is independent of the outer loop's variable, or unknown.

    The length of a loop from ``k`` to ``k + 1`` does not depend on ``k``. It is unknown if a bound is, for example, a
    minimum.
    """
    if first is None or last is None or loop.variable is None:
        return False
    low, high = polynomial(first), polynomial(last)
    return low is None or high is None or loop.variable not in (high - low).symbols


def may_differ(loop: Loop, sources: Collection[SourceFile]) -> bool:
    """Return whether iterations may differ in cost: by branches, jumps, calls, I/O, or inner loops of varying length.

    Args:
        loop: The loop.
        sources: The files that were read, whose functions are known.
    """
    changed = {Name(each) for each in written_names([loop], by_value=True)} - {loop.variable}
    each_time = (_may_differ(each, changed, sources) for each, _ in statements(loop.body))
    return uneven_by_counter(loop) is not None or any(each_time)


def _may_differ(statement: Statement, changed: Collection[Name], sources: Collection[SourceFile]) -> bool:
    match statement:
        case Jump() | OtherStatement() | InputOutput() | Allocation() | Loop(variable=None):
            return True
        case Branch(arms=arms) if any(len(arm.body) > 1 for arm in arms):
            return True
        case Loop():
            heads = [each for head in (statement.first, statement.last) if head is not None for each in walk(head)]
            own = {each for each in changed if each != statement.variable}
            if any(isinstance(each, ArrayRef | Deref) or each in own for each in heads):
                return True
    found = (each for expression in expressions_of(statement) for each in walk(expression))
    return any(isinstance(each, Call) and not each.is_pure and not _is_short(each, sources) for each in found)


def _is_short(call: Call, sources: Collection[SourceFile]) -> bool:
    """Return whether a known function has neither loops, branches nor calls, so that each call costs the same."""
    known = [one for source in sources for one in source.procedures if bare(one.name) == bare(call.name)]
    inside = [each for one in known for each, _ in statements(one.body)]
    found = [part for each in inside for one in expressions_of(each) for part in walk(one)]
    is_plain = all(isinstance(each, Assignment | Declaration | Jump) for each in inside)
    is_even = not any(isinstance(each, Opaque) or (isinstance(each, Call) and not each.is_pure) for each in found)
    return len(known) == 1 and is_plain and is_even


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
