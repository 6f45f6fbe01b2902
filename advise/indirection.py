"""Advice on indirection: accesses through an index or a pointer that is itself read from memory.

Advice is given for regions with many cache misses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import HIGH, MEDIUM, Advice, Site
from .definitions import definitions
from .effects import expressions_of, written_names
from .expression import ArrayRef, Binary, Call, Deref, Expression, FieldRef, Name, Number, Unary, base_of, walk
from .nest import Assignment, Loop, Statement, statements
from .strides import KEPT, Strides

__all__ = ["CAUSES", "KIND", "indirection"]

KIND: Final = "indirection"
_MOST_MADE: Final = 2  # maximum number of lines that fill an array and are named
_BYTES: Final = 256  # number of values of a one-byte index
_FEW: Final = 32  # iterations; reordering so few elements is not worthwhile
CAUSES: Final = frozenset(("l1_miss_rate", "l2_miss_rate"))


def indirection(site: Site) -> Iterator[Advice]:
    """Yield advice on the innermost loops of a site."""
    strides = Strides(site.source, site.procedure)
    for inner, around in site.innermost:
        chains = [
            each for each in _chains(inner) if not (isinstance(each.value, ArrayRef) and strides.is_kept(each.value))
        ]
        yield from (_of_chain(site, inner, each) for each in chains)
        chased = {each.target for each in chains}
        looked_up = _looked_up(inner)
        for reference, index in _indirect(site, inner, looked_up):
            if strides.is_kept(reference) or _is_counted_through(index, (*around, inner)):
                continue
            if not any(name in chased for name in walk(reference)):
                yield _of_index(site, inner, reference, index, _first(inner, index))
                break


def _chains(loop: Loop) -> Iterator[Assignment]:
    """Yield the assignments by which each iteration reads the next position: ``at = next[at]``, ``p = p->next``."""
    for statement, _ in statements(loop.body):
        match statement:
            case Assignment(target=Name() as target, operator="", value=ArrayRef() | FieldRef() | Deref() as value):
                inner = set(walk(value)) - {value}
                through = any(isinstance(each, Deref) for each in walk(value)) or isinstance(value, ArrayRef)
                if target in inner and through:
                    yield statement


def _of_chain(site: Site, loop: Loop, statement: Assignment) -> Advice:
    target, value = site.spell(statement.target), site.spell(statement.value)
    is_array = isinstance(statement.value, ArrayRef)
    cure = "store the elements in the order in which the loop visits them"
    if not is_array:
        cure = "keep the linked elements in an array, in the order in which the loop visits them"
    made = _made(site, statement.value, loop)
    where = f" (they are filled in {' and '.join(made)})" if made else ""
    text = (
        f"in {target} = {value}, each iteration of the loop in line {loop.line} waits for a value that the previous"
        f" iteration reads from distant memory: {cure}{where}, or follow several chains at the same time"
    )
    evidence = (f"line {statement.line}: {target} = {value}",)
    places = (site.place(statement.line), site.place(loop.line), *made)
    return Advice(KIND, text, places, evidence, site.gain, HIGH)


def _made(site: Site, reference: Expression, loop: Loop) -> list[str]:
    """Return the first lines that fill an array, except those inside the given loop."""
    base = base_of(reference)
    if base is None:
        return []
    declaration = site.source.declaration(site.procedure, base.name)
    shared = declaration is None or declaration.outlives
    sources = (site.source, *(each for each in site.sources.values() if each is not site.source))
    found = []
    for source in sources if shared else (site.source,):
        for procedure in source.procedures:
            for target, _, line in definitions(procedure, base) if shared or procedure is site.procedure else ():
                is_inside = procedure is site.procedure and loop.line <= line <= loop.last_line
                if isinstance(target, ArrayRef) and not is_inside:
                    found.append(site.place(line, source))
    return found[:_MOST_MADE]


def _looked_up(loop: Loop) -> dict[str, Expression]:
    """Map each variable to the array element from which each iteration reads the variable."""
    found: dict[str, Expression] = {}
    for statement, _ in statements(loop.body):
        match statement:
            case Assignment(target=Name(name=name), operator="", value=ArrayRef() as value):
                found[name] = value
    return found


def _indirect(site: Site, loop: Loop, looked_up: dict[str, Expression]) -> Iterator[tuple[ArrayRef, Expression]]:
    """Yield array elements with their index, if the index is itself an array element that varies in the loop."""
    changed = written_names([loop], by_value=True)
    by_address = site.source.language == "fortran"
    for statement, _ in statements(loop.body):
        for expression in _of(statement):
            given = set(_given(expression, by_address=by_address))
            for each in walk(expression):
                if isinstance(each, ArrayRef) and id(each) not in given:
                    for subscript in each.subscripts:
                        for part in () if _is_limited(each, subscript) else walk(subscript):
                            index = looked_up.get(part.name) if isinstance(part, Name) else part
                            if (
                                isinstance(index, ArrayRef)
                                and index != each
                                and not (index.element.bytes == 1 and _is_small(each, _BYTES))
                                and _is_read_anew(index, changed)
                            ):
                                yield each, index


def _is_limited(reference: ArrayRef, subscript: Expression) -> bool:
    """Return whether a mask or remainder limits an index, or its lookup table's index, so that data stay in cache."""
    tables = (each for each in walk(subscript) if isinstance(each, ArrayRef))
    if any(_is_limited(each, inner) for each in tables for inner in each.subscripts):
        return True
    match subscript:
        case Binary(operator="&" | "%", right=Number(value=int(limit))):
            return _is_small(reference, limit + 1)
        case Call(name="mod" | "modulo" | "iand", arguments=(_, Number(value=int(limit)))):
            return _is_small(reference, limit + 1)
    return False


def _is_small(reference: ArrayRef, elements: int) -> bool:
    return len(reference.subscripts) == 1 and 0 < elements * (reference.element.bytes or 8) <= KEPT


def _given(expression: Expression, *, by_address: bool) -> Iterator[int]:
    """Yield the ids of arguments passed by address, which are not accesses."""
    for each in walk(expression):
        for argument in each.arguments if isinstance(each, Call) and not each.is_pure else ():
            reference: Expression | None = argument if by_address else None
            if isinstance(argument, Unary) and argument.operator == "&":
                reference = argument.operand
            while reference is not None:
                yield id(reference)
                match reference:
                    case ArrayRef(array=inner) | FieldRef(structure=inner) | Deref(pointer=inner):
                        reference = inner
                    case _:
                        reference = None


def _is_counted_through(index: Expression, loops: Sequence[Loop]) -> bool:
    """Return whether only loops with few iterations change an index, such as a loop over a cell's corners."""
    counted = {loop.variable: _turns(loop) for loop in loops if loop.variable is not None}
    changed = written_names(loops[:1], by_value=True)
    total = 1
    for each in {part for part in walk(index) if isinstance(part, Name)}:
        if (turns := counted.get(each)) is not None:
            total *= turns
        elif each in counted or each.name in changed:
            return False
    return total <= _FEW


def _turns(loop: Loop) -> int | None:
    match loop:
        case Loop(first=Number(value=first), last=Number(value=last), step=Number(value=step)) if step:
            return max(0, int((last - first) // step) + 1)
    return None


def _is_read_anew(index: ArrayRef, changed: frozenset[str]) -> bool:
    """Return whether an index is an element of an integer array and differs between iterations."""
    names = (each.name for each in walk(index) if isinstance(each, Name))
    return index.element.kind in ("integer", "") and any(name in changed for name in names)


def _of(statement: Statement) -> Iterator[Expression]:
    yield from expressions_of(statement)


def _first(loop: Loop, index: Expression) -> Expression:
    """Return the index by which to sort: the first index in a chain of lookups."""
    read: dict[str, ArrayRef] = {}
    for statement, _ in statements(loop.body):
        if isinstance(statement, Assignment) and isinstance(statement.target, Name):
            inside = [each for each in walk(statement.value) if isinstance(each, ArrayRef)]
            if inside and statement.target.name not in read:
                read[statement.target.name] = inside[0]
    seen = {index}
    while isinstance(index, ArrayRef):
        names = [part.name for each in index.subscripts for part in walk(each) if isinstance(part, Name)]
        deeper = next((read[name] for name in names if name in read and read[name] not in seen), None)
        if deeper is None:
            break
        index = deeper
        seen.add(index)
    return index


def _of_index(site: Site, loop: Loop, reference: ArrayRef, index: Expression, first: Expression) -> Advice:
    by = site.spell(first.array) if isinstance(first, ArrayRef) else "the index"
    array = site.spell(reference.array)
    text = (
        f"{site.spell(reference)} in line {reference.line or loop.line} is accessed through {site.spell(index)}: if"
        f" {array} does not fit into the cache, sort or renumber {by} so that successive iterations access neighbouring"
        f" elements, or traverse {array} in blocks"
    )
    evidence = (f"line {loop.line} reads {site.spell(index)} in each iteration",)
    places = (site.place(reference.line or loop.line), site.place(loop.line))
    return Advice(KIND, text, places, evidence, site.gain, MEDIUM)
