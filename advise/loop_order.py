"""Advice on the order of loops: arrays that the innermost loop does not traverse in memory order.

Advice is given for regions with many cache misses (Liu et al. 2011, 6.1.2: loops interchanged in ramod3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .definitions import definitions
from .dependence import Interchange, Order, interchange, perfect_nest
from .effects import expressions_of, written_names
from .expression import ArrayRef, Call, Expression, FieldRef, Name, Number, Section, base_of, walk
from .nest import Assignment, Block, Branch, Declaration, Layout, Loop, Structure, statements
from .polynomial import Polynomial, polynomial
from .strides import LINE, Strides, Walk

__all__ = ["CAUSES", "KIND", "order_of_loops"]

KIND: Final = "order of loops"
CAUSES: Final = frozenset(("l1_miss_rate", "l2_miss_rate"))

_LESS: Final = 0.5  # a new order is worthwhile if it saves at least this share of the cache lines per iteration
# If an inner loop has no more iterations than this, the L1 cache keeps their cache lines until the outer loop uses the
# rest of each line.
_FEW_LINES: Final = 64
_SETS: Final = 4096  # bytes; with steps that are multiples of this, all lines fall into a few sets of an L1 cache
_SMALL_PART: Final = 0.5  # share of a structure's bytes that a loop uses
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def order_of_loops(site: Site) -> Iterator[Advice]:
    """Yield advice on the loops of a site."""
    strides = Strides(site.source, site.procedure)
    for inner, around in site.innermost:
        references = list(strides.references(inner))
        walks = [found for each in references if (found := strides.walk(each, inner)) is not None]
        far = [
            each for each in walks if each.lines >= _LESS and not each.is_dense and not _is_filled(site, each, walks)
        ]
        is_long = (strides.turns(inner) or _FEW_LINES) * len(far) >= _FEW_LINES
        if far and is_long and not _is_in_blocks(inner, around):
            yield from _of_far(site, strides, inner, around, far)
        yield from _of_structures(site, inner, walks)


def _is_filled(site: Site, walk_: Walk, walks: list[Walk]) -> bool:
    """Return whether an iteration uses most of the bytes up to its next element, such as ``u(1,i)`` to ``u(5,i)``."""
    if walk_.step is None or walk_.step.value is None:
        return False
    alike = (each for each in walks if each.reference.array == walk_.reference.array and each.step == walk_.step)
    used = {_faster(site, each) for each in alike if each.subscript == walk_.subscript}
    size = len(used) * (walk_.reference.element.bytes or 8)
    return size >= _LESS * abs(walk_.step.value) or any(isinstance(part, Section) for each in used for part in each)


def _faster(site: Site, walk_: Walk) -> tuple[Expression, ...]:
    """Return the subscripts along which neighbours are closer in memory than along the traversed subscript."""
    subscripts, number = walk_.reference.subscripts, walk_.subscript
    return subscripts[:number] if site.source.layout is Layout.COLUMNS else subscripts[number + 1 :]


def _is_in_blocks(inner: Loop, around: Sequence[Loop]) -> bool:
    """Return whether a loop traverses a block that begins at the counter of a loop with larger steps."""
    return any(each.variable == inner.first and abs(_step(each)) != 1 for each in around if each.variable)


def _step(loop: Loop) -> float:
    return loop.step.value if isinstance(loop.step, Number) else 0


def _of_far(site: Site, strides: Strides, inner: Loop, around: Sequence[Loop], far: list[Walk]) -> Iterator[Advice]:
    """Yield advice on arrays if other loops use neighbouring elements and the inner loop can be split off."""
    better = _better(strides, inner, around)
    is_dense = any(_is_dense_in(strides, each, around) for each in far)
    if better is None and not is_dense and not _is_moved(far, inner, around):
        return  # nothing uses the neighbouring elements, for example at the edge of a grid
    if better is not None and not _can_be_split(better, inner, far):
        return
    said = _walked(site, inner, far[0])
    more = ", ".join(dict.fromkeys(site.spell(each.reference) for each in far[1:]))
    said += f" (likewise {more})" if more else ""
    made = _makes_step(site, inner, far[0])
    said += "".join(f"; line {line} computes the step, {spelt}" for line, spelt in made)
    steps = [site.place(line) for line, _ in made]
    each_time = f"per iteration of the loop in line {inner.line}"
    evidence = [f"{site.spell(each.reference)}: {_bytes(site, each.step)} {each_time}" for each in far]
    if better is None:
        cure = ": let the innermost loop run over the contiguous index, or lay the array out in the order of the loops"
        if is_dense:
            cure = ", but other accesses suit this loop order: traverse the arrays in blocks of a few rows and columns"
        text = f"{said}{cure}"
        yield Advice(KIND, text + _padding(far), (site.place(inner.line), *steps), tuple(evidence), site.gain, MEDIUM)
        return
    found = interchange(site.source, site.procedure, better, inner)
    places = (site.place(better.line), site.place(inner.line), *steps)
    if found.order is Order.FORBIDDEN:
        text = f"{said}; lines {better.line} and {inner.line} must not be interchanged, because {found.reasons[0]}:"
        text += " lay the array out in the order of the loops"
        yield Advice(KIND, text, places, (*evidence, *found.reasons), site.gain, LOW)
        return
    text = f"{said}: interchange the loops in lines {better.line} and {inner.line}; {_obstacles(found)}"
    sure = HIGH if found.order is Order.INDEPENDENT else MEDIUM
    if not any(each is inner for each in perfect_nest(better)):
        sure = LOW  # loops must be split first
    if shared := _shared(better, inner, around):
        text += f"; the directive in line {shared.line} distributes iterations of {site.spell(shared.variable)}"
        text += (
            " and of the inner loops over threads: leave it above the nest"
            if "collapse" in shared.directive
            else " over threads: keep it at that loop, or, if the new outermost loop has many independent iterations,"
            f" move it there and make {site.spell(shared.variable)} private"
        )
        sure = MEDIUM if sure == HIGH else sure
    yield Advice(KIND, text + _padding(far), places, (*evidence, *found.reasons), site.gain, sure)


def _can_be_split(better: Loop, inner: Loop, far: list[Walk]) -> bool:
    """Return whether the inner loop can be split off, because the surrounding code does not write the loop's arrays."""
    inside = {id(each) for each, _ in statements([inner])}
    arrays = {base_of(each.reference) for each in far}
    for statement, _ in statements(better.body):
        if id(statement) in inside:
            continue
        if not isinstance(statement, Assignment | Block | Branch | Declaration | Loop):
            return False
        if isinstance(statement, Assignment) and base_of(statement.target) in arrays:
            return False
        for expression in expressions_of(statement):
            if any(isinstance(each, Call) and not each.is_pure for each in walk(expression)):
                return False
    return True


def _is_dense_in(strides: Strides, walk_: Walk, loops: Sequence[Loop]) -> bool:
    """Return whether one of ``loops`` traverses adjacent elements of the array, as for a matrix and its transpose."""
    found = (strides.walk(walk_.reference, each) for each in loops)
    return any(each is not None and each.lines and each.is_dense for each in found)


def _is_moved(far: list[Walk], inner: Loop, around: Sequence[Loop]) -> bool:
    """Return whether the outermost loop changes the arrays' subscripts, so that it may use adjacent elements."""
    counters = {each.variable.name for each in (inner, *around) if each.variable}
    moved = written_names(around[-1:], by_value=True) - counters
    subscripts = (part for each in far for subscript in each.reference.subscripts for part in walk(subscript))
    return any(isinstance(part, Name) and part.name in moved for part in subscripts)


def _shared(better: Loop, inner: Loop, around: Sequence[Loop]) -> Loop | None:
    """Return the loop whose iterations threads share, among the loops to interchange and the loops between them."""
    nest = (*around[[each is better for each in around].index(True) :], inner)
    return next((each for each in nest if "omp" in each.directive and each.variable), None)


def _better(strides: Strides, inner: Loop, around: Sequence[Loop]) -> Loop | None:
    """Return the loop that should be innermost, because it needs fewer cache lines; perfect nests come first."""
    now = _lines(strides, inner, inner)
    found = [(_lines(strides, inner, each), each) for each in around if each.variable is not None]
    fewer = [(lines, each) for lines, each in reversed(found) if lines <= (1 - _LESS) * now]
    nested = [(lines, each) for lines, each in fewer if any(loop is inner for loop in perfect_nest(each))]
    if nested:
        return min(nested, key=lambda pair: pair[0])[1]
    return next((each for lines, each in fewer if lines), None)


def _lines(strides: Strides, inner: Loop, loop: Loop) -> float:
    """Return how many cache lines an iteration would touch if ``loop`` became the innermost loop.

    Args:
        strides: The distances between accesses in memory.
        inner: The loop that is innermost now; its references are counted.
        loop: The same loop, or a loop that contains it.
    """
    walks = (strides.walk(each, loop) for each in strides.references(inner))
    return sum(each.lines for each in walks if each is not None)


def _walked(site: Site, inner: Loop, walk_: Walk) -> str:
    name = site.spell(walk_.reference)
    which = ""
    if len(walk_.reference.subscripts) > 1:
        which = f", its {_ORDINALS[min(walk_.subscript, len(_ORDINALS) - 1)]} index"
    return f"{name} is traversed along {site.spell(inner.variable)}{which}, {_bytes(site, walk_.step)} per step"


def _makes_step(site: Site, inner: Loop, walk_: Walk) -> list[tuple[int, str]]:
    """Return the lines that compute the step, if a variable that is set once holds it: ``along`` in ``j*along``."""
    position = polynomial(walk_.reference.subscripts[walk_.subscript])
    factor = position.coefficient(inner.variable) if position and inner.variable else None
    found = []
    for name in sorted(factor.symbols if factor else (), key=repr):
        made = definitions(site.procedure, name) if isinstance(name, Name) else ()
        if len(made) == 1:
            found.append((made[0][2], f"{site.spell(name)} = {site.spell(made[0][1])}"))
    return found


def _bytes(site: Site, step: Polynomial | None) -> str:
    if step is None:
        return "a row or more"
    if step.value is not None:
        return f"{abs(step.value)} bytes"
    terms = []
    sign = -1 if next(iter(step.terms.values())) < 0 else 1
    for monomial, factor in step.terms.items():
        names = "*".join(site.spell(each) for each in monomial)
        terms.append(f"{sign * factor}*{names}" if names else str(sign * factor))
    return f"{' + '.join(terms)} bytes".replace("+ -", "- ")


def _padding(far: list[Walk]) -> str:
    """Return a suggestion to pad arrays if the steps conflict in the cache's sets; empty if they do not."""
    steps = [abs(each.step.value) for each in far if each.step is not None and each.step.value]
    if any(step % _SETS == 0 for step in steps):
        why = f"because steps that are multiples of {_SETS} bytes use few cache sets"
        return f"; or pad the array so that each step is one cache line longer, {why}"
    return ""


def _obstacles(found: Interchange) -> str:
    if found.order is Order.INDEPENDENT:
        sums = f" ({', '.join(found.sums)} is then summed in a different order)" if found.sums else ""
        return f"{found.order.value}{sums}"
    return f"{found.order.value}: {'; '.join(found.reasons[:2])}"


# Structures.


def _of_structures(site: Site, inner: Loop, walks: list[Walk]) -> Iterator[Advice]:
    """Yield advice if a loop uses a small part of each of many structures."""
    structures = {each.name: each for each in site.source.structures}
    for walk_ in walks:
        structure = structures.get(walk_.reference.element.structure)
        if structure is None or structure.bytes <= LINE or not walk_.lines:
            continue
        if walk_.reference.element.kind != "structure":
            continue
        used = _fields_used(inner, walk_.reference, structure)
        size = sum(each.element.bytes for each in used)
        if used and size <= _SMALL_PART * structure.bytes:
            names = ", ".join(each.name for each in used)
            text = (
                f"the loop in line {inner.line} uses {size} of the {structure.bytes} bytes of each"
                f" {site.spell(walk_.reference)} ({names}): move these fields to separate arrays, or next to each other"
            )
            evidence = (f"{structure.name}: {structure.bytes} bytes, {len(structure.fields)} fields",)
            yield Advice(KIND, text, (site.place(inner.line),), evidence, site.gain, MEDIUM)


def _fields_used(inner: Loop, reference: ArrayRef, structure: Structure) -> list[Declaration]:
    """Return the fields of a structure that a loop uses; none if it is unknown which fields are used.

    This is unknown if a field is an array, or if the loop copies the structure, passes it on or binds a reference.
    """
    parts = [
        each
        for statement, _ in statements(inner.body)
        for expression in expressions_of(statement)
        for each in walk(expression)
    ]
    fields = [each for each in parts if isinstance(each, FieldRef) and each.structure == reference]
    names = {each.name for each in fields}
    used = [each for each in structure.fields if each.name in names]
    is_whole = parts.count(reference) > len(fields)
    return [] if is_whole or any(each.extents for each in used) else used
