"""Advice on repeated work: values that a loop recomputes although nothing has changed, and cheaper alternatives.

Advice is given for regions that execute many instructions (Liu et al. 2011, 6.2: common expressions eliminated).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .allocation import KIND, allocated_in, conditional_in
from .changes import changed_in
from .effects import expressions_of, written_names
from .expression import (
    UNKNOWN_ELEMENT,
    ArrayRef,
    Binary,
    Call,
    Deref,
    Element,
    Expression,
    FieldRef,
    Name,
    Number,
    Unary,
    base_of,
    walk,
)
from .nest import Assignment, Branch, Jump, Loop, Statement, statements

__all__ = ["CAUSES", "KIND", "repeated_work"]

CAUSES: Final = frozenset(("instructions",))

# Cheap functions: calling them again costs no more than storing their values.
_CHEAP: Final = frozenset(
    (
        "min",
        "max",
        "abs",
        "fabs",
        "real",
        "dble",
        "int",
        "size",
        "mod",
        "sign",
        "floor",
        "ceil",
        "fmin",
        "fmax",
        "merge",
        "float",
        "dfloat",
        "sngl",
        "nint",
        "cmplx",
        "dcmplx",
        "aimag",
        "dabs",
        "iabs",
        "lbound",
        "ubound",
        "trim",
        "len",
        "len_trim",
        "present",
        "associated",
        "allocated",
    )
)
_LARGEST_POWER: Final = 4  # largest power that is written as a product
_SHORT: Final = 32  # number of elements up to which a binary search is not faster (docs/evidence/advice.md)


def repeated_work(site: Site) -> Iterator[Advice]:
    """Yield advice on the loops of a site, except on improvements that compilers make themselves at -O2."""
    for loop, around in site.loops:
        own = [each for each, loops in statements(loop.body) if not loops]
        yield from _searches(site, loop, around)
        if site.source.language != "fortran":  # Fortran's calls never set ``errno``, so compilers move them out
            yield from _invariant(site, loop, own)
        yield from _powers(site, loop, own)
        yield from _of_counters(site, loop, around, own)
        yield from _common(site, loop)
        yield from allocated_in(site, loop)


def _advice(site: Site, text: str, lines: tuple[int, ...], sure: str, *evidence: str) -> Advice:
    places = tuple(dict.fromkeys(site.place(each) for each in lines))
    return Advice(KIND, text, places, evidence, site.gain, sure)


def _each(own: list[Statement]) -> Iterator[tuple[Expression, Statement]]:
    for statement in own:
        if not isinstance(statement, Loop):
            for expression in expressions_of(statement):
                yield from ((each, statement) for each in walk(expression))


# Unchanged values.


def _invariant(site: Site, loop: Loop, own: list[Statement]) -> Iterator[Advice]:
    changed, conditional = changed_in(site, loop), conditional_in(loop)
    found: dict[Expression, list[Statement]] = {}
    for each, statement in _each(own):
        if not isinstance(each, Call) or not _is_plain(each, changed):
            continue
        if each.is_pure and each.on is None and each.arguments and each.name not in _CHEAP:
            found.setdefault(each, []).append(statement)
    for each, where in found.items():
        always = next((one for one in where if id(one) not in conditional), None)
        if_so = "" if always else "if most iterations compute it, "
        text = f"{site.spell(each)} is the same in each iteration of the loop in line {loop.line}: {if_so}compute it"
        lines = ((always or where[0]).line, loop.line)
        yield _advice(site, f"{text} before the loop", lines, HIGH if always else LOW)


def _is_plain(expression: Expression, changed: frozenset[str] | set[str]) -> bool:
    """Return whether an expression consists only of unchanged variables."""
    for each in walk(expression):
        if isinstance(each, Name) and each.name in changed:
            return False
        if isinstance(each, ArrayRef | Deref | FieldRef) or (isinstance(each, Call) and not each.is_pure):
            return False
    return not isinstance(expression, Number)


def _powers(site: Site, loop: Loop, own: list[Statement]) -> Iterator[Advice]:
    seen = set()
    for each, statement in _each(own):
        match each:
            case Binary(operator="**", left=base, right=Number(value=value)) if each not in seen:
                # Compilers replace squares by products themselves.
                is_whole = float(value).is_integer() and 2 < value <= _LARGEST_POWER
                called = site.source.language != "fortran" or isinstance(value, float)
                if not called or isinstance(base, Number) or not (is_whole or value in (0.5, -0.5)):
                    continue
                seen.add(each)
                cure = "multiplications" if is_whole else "a square root"
                cure += " of reals" * (is_whole and _is_integer(site, base))  # a product of integers may be too large
                each_time = f"in each iteration of the loop in line {loop.line}"
                text = f"line {statement.line} computes {site.spell(each)} {each_time}: use {cure} instead"
                yield _advice(
                    site, text, (statement.line, loop.line), MEDIUM, f"{site.spell(base)} to the power of {value:g}"
                )


def _is_integer(site: Site, base: Expression) -> bool:
    declared = site.source.declaration(site.procedure, base.name) if isinstance(base, Name) else None
    element = declared.element if declared is not None else getattr(base, "element", UNKNOWN_ELEMENT)
    return bool(element.kind == "integer")


def _of_counters(site: Site, loop: Loop, around: tuple[Loop, ...], own: list[Statement]) -> Iterator[Advice]:
    """Yield advice on costly functions of loop counters, whose values could be tabulated."""
    counters = {each.variable.name for each in (*around, loop) if each.variable}
    changed = changed_in(site, loop) - counters
    found: dict[Expression, tuple[int, frozenset[str]]] = {}
    for each, statement in _each(own):
        if isinstance(each, Call) and each.is_pure and each.name not in _CHEAP and each not in found:
            names = _names(each)
            if names & counters and _is_plain(each, changed):
                fixed = _fixed(site, each, (*around, loop), names - counters)
                if fixed is not None:
                    found[each] = statement.line, fixed
    for fixed in dict.fromkeys(fixed for _, fixed in found.values()):
        lines = {each: line for each, (line, needed) in found.items() if needed == fixed}
        calls = " and ".join(f"{site.spell(each)} in line {line}" for each, line in lines.items())
        what = "depends" if len(lines) == 1 else "depend"
        on = "on loop indices alone, not on data"
        if fixed:
            named = " and ".join(site.spell(Name(each)) for each in sorted(fixed))
            on = f"on loop indices and {named}"
        if_so = f"if {named} {'is' if len(fixed) == 1 else 'are'} the same in each call, " if fixed else ""
        text = f"{calls} {what} {on}: {if_so}compute a table once, or each value from the previous one"
        yield _advice(site, text, (*lines.values(), loop.line), MEDIUM)


def _fixed(site: Site, expression: Call, loops: Sequence[Loop], others: set[str]) -> frozenset[str] | None:
    """Return the variables that must be the same in each call to the procedure, so that an expression's values recur.

    Values recur within one call if the expression does not contain the counter of a surrounding loop, or multiplies it
    by another counter, as in a Fourier sum. The other variables must not change in this loop. Otherwise, values recur
    only if a later call has the same values of the other variables. The result is None if no value recurs.

    Args:
        site: The site.
        expression: The expression.
        loops: The loops around the expression, outermost first.
        others: The expression's variables that are not loop counters.
    """
    names = _names(expression)
    again = [each for each in loops if each.variable and each.variable.name not in names]
    again += [each for each in loops if each.variable and _multiplies(expression, each.variable.name, loops)]
    if any(others.isdisjoint(changed_in(site, each)) for each in again):
        return frozenset()
    if site.numbers.get("visits_per_rank", 0.0) <= 1 or not others.isdisjoint(changed_in(site, loops[0])):
        return None
    return frozenset(each for each in others if not _never_changes(site, each))


def _is_pure(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.is_pure


def _never_changes(site: Site, name: str) -> bool:
    """Return whether a variable is a constant that has the same value in each call."""
    declared = site.source.declaration(site.procedure, name)
    if declared is None or not declared.is_constant or declared.is_argument:
        return False
    inside = [] if declared.value is None or declared.outlives else [*walk(declared.value)]
    if not all(isinstance(each, Name | Number | Unary | Binary) or _is_pure(each) for each in inside):
        return False
    return all(_never_changes(site, each.name) for each in inside if isinstance(each, Name))


def _multiplies(expression: Expression, counter: str, loops: Sequence[Loop]) -> bool:
    """Return whether a counter is multiplied by a counter of a loop inside its loop."""
    names = [each.variable.name for each in loops if each.variable]
    inner = {*names[names.index(counter) + 1 :]}
    products = [each for each in walk(expression) if isinstance(each, Binary) and each.operator == "*"]
    sides = [(_names(each.left), _names(each.right)) for each in products]
    return any((counter in one and two & inner) or (counter in two and one & inner) for one, two in sides)


def _names(expression: Expression) -> set[str]:
    return {each.name for each in walk(expression) if isinstance(each, Name)}


# Common expressions.


def _common(site: Site, loop: Loop) -> Iterator[Advice]:
    """Yield advice on expressions repeated after a store that may change them, as far as the compiler knows."""
    best: tuple[int, Binary, list[int]] | None = None
    own = [each for each in loop.body if isinstance(each, Assignment)]
    first: dict[Expression, int] = {}
    again: dict[Expression, list[int]] = {}
    for number, statement in enumerate(own):
        for each in walk(statement.value):
            if isinstance(each, Binary) and each.operator in "*/" and _costs(each, statement):
                start = first.setdefault(each, number)
                if number > start and _may_be_stored_into(site, each, own[start:number]):
                    again.setdefault(each, [own[start].line]).append(statement.line)
    for expression, lines in again.items():
        size = len(lines) * sum(1 for _ in walk(expression))
        if isinstance(expression, Binary) and (best is None or size > best[0]):
            best = size, expression, lines
    if best:
        _, expression, lines = best
        where = ", ".join(map(str, dict.fromkeys(lines)))
        where = f"in each of lines {where}" if len({*lines}) > 1 else f"{len(lines)} times in line {where}"
        text = (
            f"{site.spell(expression)} is computed {where}, because the compiler must assume that a store in between"
            " changes its operands: if none does, compute it once, and keep the result in a variable"
        )
        yield _advice(
            site,
            text,
            (lines[0], *lines[1:], loop.line),
            HIGH,
            f"{len(lines)} times in each iteration of the loop in line {loop.line}",
        )


def _costs(expression: Binary, statement: Assignment) -> bool:
    """Return whether an expression of array elements takes noticeable time, even if it is only added to a sum.

    A sum in memory takes longer than a product of reals, but not longer than a quotient or a product of integers.
    """
    inside = [*walk(expression)]
    arrays = [each for each in inside if isinstance(each, ArrayRef)]
    is_slow = any(isinstance(each, Binary) and each.operator == "/" for each in inside)
    is_whole = any(each.element.kind == "integer" for each in arrays)
    return bool(arrays) and (is_slow or is_whole or not statement.operator)


def _may_be_stored_into(site: Site, expression: Expression, between: list[Assignment]) -> bool:
    """Return whether, by the language's rules, a store may change an operand, even if the program never does so."""
    names = {each.name for each in walk(expression) if isinstance(each, Name)}
    arrays = [each for each in walk(expression) if isinstance(each, ArrayRef)]
    kinds = {each.element.kind for each in arrays if not _is_out_of_reach(site, each)}
    stored = False
    for each in between:
        match each.target:
            case Name(name=name):
                if name in names:
                    return False
            case ArrayRef() | FieldRef() | Deref() as target:
                if target in set(walk(expression)):
                    return False
                overlaps = site.source.language != "fortran" and isinstance(_element(target), Element)
                stored = stored or (overlaps and _element(target).kind in kinds)
    return stored


def _is_out_of_reach(site: Site, reference: ArrayRef) -> bool:
    """Return whether the compiler knows that no other pointer reaches an array: it is ``restrict`` or stays local."""
    base = base_of(reference)
    declaration = site.source.declaration(site.procedure, base.name) if base is not None else None
    if declaration is not None and declaration.is_argument and declaration.extents and not declaration.may_overlap:
        return True  # the argument is ``restrict``
    if declaration is None or declaration.outlives or declaration.is_argument or not all(declaration.extents):
        return False
    for statement, _ in statements(site.procedure.body):
        for expression in expressions_of(statement):
            for each in walk(expression):
                is_given = isinstance(each, Call) and not each.is_pure
                is_given = is_given or (isinstance(each, Unary) and each.operator == "&")
                if is_given and base in set(walk(each)):
                    return False
    return bool(declaration.extents)


def _element(target: ArrayRef | FieldRef | Deref) -> Element:
    return target.element


# Searches.


def _searches(site: Site, loop: Loop, around: tuple[Loop, ...]) -> Iterator[Advice]:
    """Yield advice on loops that start each search at the beginning."""
    body = [each for each in loop.body if not isinstance(each, Branch)]
    steps = [each for each in body if isinstance(each, Assignment) and isinstance(each.target, Name) and each.operator]
    counter = steps[0].target if len(body) == 1 and steps else loop.variable
    if counter is None or not (around or loop.condition is not None) or not _begins_anew(site, loop, counter, around):
        return
    within = frozenset(written_names([loop])) - {getattr(counter, "name", "")}
    keys = frozenset(site.procedure.arguments) if not around else written_names(around[-1:], by_value=True)
    compared: list[Expression] = []
    if loop.condition is not None and len(body) == 1 and steps:
        compared = [loop.condition]
    elif loop.variable is not None and len(loop.body) == 1 and isinstance(loop.body[0], Branch):
        arms = loop.body[0].arms
        leaves = [arm for arm in arms if arm.body and isinstance(arm.body[-1], Jump) and arm.body[-1].kind != "cycle"]
        compared = [arm.condition for arm in leaves if arm.condition is not None]
    for each in (part for condition in compared for part in walk(condition)):
        if isinstance(each, Binary) and each.operator in ("<", "<=", ">", ">=", "==", "!="):
            arrays = [part for part in walk(each) if isinstance(part, ArrayRef) and counter in set(walk(part))]
            if arrays and _is_for_a_key(each, counter, keys - within) and not _is_short(loop):
                text = (
                    f"the loop in line {loop.line} searches {site.spell(arrays[0])} from the beginning"
                    " each time: use binary search if the array is sorted, begin where the last search ended, or"
                    " compute the position"
                )
                lines = (loop.line, *(one.line for one in around[-1:]))
                yield _advice(site, text, lines, HIGH if around else MEDIUM)
                return


def _is_for_a_key(condition: Binary, counter: Expression, keys: frozenset[str]) -> bool:
    """Return whether an element is compared with a value that differs between searches, but not within one search."""
    sides = [[*walk(each)] for each in (condition.left, condition.right)]
    others = [side for side in sides if counter not in side]
    element = condition.left if counter in sides[0] else condition.right
    is_plain = isinstance(element, ArrayRef | FieldRef)
    return is_plain and any(isinstance(each, Name) and each.name in keys for side in others for each in side)


def _is_short(loop: Loop) -> bool:
    """Return whether a loop has few iterations, so that another search method is not worthwhile."""
    match loop:
        case Loop(last=Number(value=last)):
            return abs(last) < _SHORT
    return False


def _begins_anew(site: Site, loop: Loop, counter: Expression, around: tuple[Loop, ...]) -> bool:
    """Return whether each search starts at the same place, not where the last search ended or at a computed place."""
    changed = written_names(around[-1:], by_value=True)
    starts: list[Expression] = []
    if loop.variable is not None and loop.first is not None:
        starts = [loop.first]
    else:
        within = statements(around[-1].body if around else site.procedure.body)
        for each, loops in within:
            if loop not in loops and isinstance(each, Assignment) and each.target == counter and not each.operator:
                starts += [each.value] if each.line <= loop.line else []
    inside = [part for each in starts for part in walk(each)]
    is_moved = any(part == counter or getattr(part, "name", "") in changed for part in inside)
    return bool(starts) and not is_moved and not any(isinstance(part, ArrayRef | Call) for part in inside)
