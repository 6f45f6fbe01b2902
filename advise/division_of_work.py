"""Advice on how work is divided: traces the bounds of loops back to the line that derives them from the rank.

Advice is given for regions in which ranks differ (Liu et al. 2011, 6.1.2: static and dynamic dispatching).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .calls import RECEIVES
from .effects import expressions_of, written_names
from .expression import ArrayRef, Binary, Call, Expression, Name, Number, base_of, parts, walk
from .input_output import is_terminal
from .nest import Assignment, Branch, CallStatement, InputOutput, Loop, Procedure, SourceFile, Statement, statements
from .origins import Origin, Origins
from .ranks import RANK, SIZE
from .uneven import Inner, decided_by_data, may_differ, takes_neighbours

__all__ = ["CAUSES", "KIND", "division_of_work"]

KIND: Final = "division of work"
CAUSES: Final = frozenset(("ranks",))

_LEVELS: Final = 4  # number of levels of callers that are searched, from the region upwards
_EQUAL: Final = ("==", "!=")
_COMPARING: Final = (*_EQUAL, "<", "<=", ">", ">=")
_OTHERWISE: Final = "deal the iterations out cyclically, or on demand"
_SIDE_BY_SIDE: Final = "give each rank adjacent iterations of equal total cost"
_NEAR: Final = 3  # largest number of steps from the bounds back to the rank; beyond it, the line may be unrelated
# Ratio of two ranks' numbers of iterations. If the iterations merely do not divide evenly, the ratio is smaller, and
# no rank is late.
_ALIKE: Final = 1.1


def division_of_work(site: Site) -> Iterator[Advice]:
    """Yield the first advice found: on a site's loops, its branches, the loops that call it, or its data."""
    origins = Origins(site.sources or {site.source.path: site.source})
    found = _of_loops(site, origins) or _of_branch(site, origins) or _of_callers(site, origins) or _of_data(site)
    if found:
        yield found


def _loops(site: Site) -> list[Loop]:
    """Return the loops of a site, then the enclosing loops, innermost first."""
    around = [each for _, loops in site.statements[:1] for each in reversed(loops)]
    return [*(loop for loop, _ in site.loops), *around]


def _of_loops(site: Site, origins: Origins) -> Advice | None:
    loops = _loops(site)
    by_data = {id(inner.loop) for each in loops if (inner := decided_by_data(each))}
    for loop in loops:
        steps = _NEAR if id(loop) in by_data else None
        if found := _of_loop(site, origins, loop, site.source, site.procedure, steps=steps):
            return found
    return None


def _of_callers(site: Site, origins: Origins) -> Advice | None:
    procedures, seen = [site.procedure], {site.procedure.name}
    looked_at: set[int] = set()
    for _ in range(_LEVELS):
        callings = [each for procedure in procedures for each in origins.calls.of(procedure)]
        for calling in callings:
            for loop in reversed(calling.loops):
                if id(loop) in looked_at:
                    continue
                looked_at.add(id(loop))
                if found := _of_loop(site, origins, loop, calling.source, calling.procedure):
                    return found
        procedures = [each.procedure for each in callings if each.procedure.name not in seen]
        seen |= {each.name for each in procedures}
    return None


def _of_data(site: Site) -> Advice | None:
    """Return advice on iterations of different cost, even if the distribution of the iterations is unknown."""
    for loop in _loops(site):
        inner, apart = decided_by_data(loop), site.turns_apart(site.source, loop)
        is_fixed = all(isinstance(each, Number) for each in (loop.first, loop.last))
        if inner and not is_fixed and (apart is None or apart <= _ALIKE):
            places = tuple(site.place(each.line) for each in (loop, inner.loop))
            why = _reason_in_data(site, loop, inner, f"in line {loop.line}", "")
            return Advice(KIND, f"{why}: {_otherwise(loop)}", places, _evidence(site), site.gain, MEDIUM, why)
    return None


def _reason_in_data(site: Site, loop: Loop, inner: Inner, where_loop: str, comes: str) -> str:
    line = inner.loop.line
    return (
        f"the number of iterations of the loop in line {line} depends on {site.spell(inner.by)}, so it varies from one"
        f" iteration of the loop {where_loop} to the next. Equal parts of the outer loop{comes} therefore contain"
        " unequal work"
    )


def _otherwise(loop: Loop) -> str:
    """Return how to distribute iterations of different cost: in blocks, if they use their neighbours' data."""
    return _SIDE_BY_SIDE if takes_neighbours(loop) else _OTHERWISE


def _outermost(loop: Loop, procedure: Procedure) -> Loop:
    """Return the outermost loop that contains a loop, or the loop itself."""
    return next((loops[0] for each, loops in statements(procedure.body) if each is loop and loops), loop)


def _of_loop(
    site: Site,
    origins: Origins,
    loop: Loop,
    source: SourceFile,
    procedure: Procedure,
    *,
    steps: int | None = None,
) -> Advice | None:
    """Return advice on a loop whose bounds derive from the rank within a number of steps."""
    for bound in (loop.last, loop.first, loop.step, loop.condition):
        if bound is None or (bound is loop.condition and getattr(bound, "operator", "") == "=="):
            continue  # a loop that retries until success has no number of iterations to divide
        if bound is loop.condition and _is_halved(loop):
            continue  # a value that each iteration divides is not a number of iterations
        found = origins.of(bound, source, procedure, before=_outermost(loop, procedure).last_line, at=loop.line)
        if found is None and _has_rank(bound, origins, source, procedure):
            if bound is loop.first:
                return None  # the iterations are already dealt out cyclically
            known = origins.ranks.names(source, procedure)
            has_size = any(known.get(each.name, ("",))[0] == SIZE for each in walk(bound) if isinstance(each, Name))
            found = Origin(source, loop.line, None, bound, True, has_size, False)
        if found is not None and (steps is None or len(found.through) <= steps):
            return _of_origin(site, found, loop, source, bound, is_end=_is_end(origins, found, loop))
    return None


def _is_halved(loop: Loop) -> bool:
    """Return whether a loop's condition tests a value that each iteration divides."""
    names = {each for each in walk(loop.condition) if isinstance(each, Name)} if loop.condition is not None else set()
    values = (each.value for each, _ in statements(loop.body) if isinstance(each, Assignment))
    parts_ = (part for value in values for part in walk(value) if isinstance(part, Binary))
    return any(each.operator in ("/", ">>") and each.left in names for each in parts_)


def _has_rank(bound: Expression, origins: Origins, source: SourceFile, procedure: Procedure) -> bool:
    known = origins.ranks.names(source, procedure)
    return any(known.get(each.name, ("",))[0] == RANK for each in _counting(bound))


def _counting(bound: Expression) -> Iterator[Name]:
    """Yield the names in a bound, except those that are only tested for equality, as in a search for a rank's items."""
    if isinstance(bound, Name):
        yield bound
    elif getattr(bound, "operator", "") not in _EQUAL:
        for each in parts(bound):
            yield from _counting(each)


def _of_origin(
    site: Site, origin: Origin, loop: Loop, source: SourceFile, bound: Expression, *, is_end: bool
) -> Advice | None:
    """Return advice on a loop that is divided among ranks; None if all parts and iterations cost the same."""
    made, where = site.spell(origin.value), site.place(origin.line, origin.source)
    where_loop = f"line {loop.line}" if source is site.source else site.place(loop.line, source)
    filled = [*_filled(origin)] if origin.is_table else []
    tables = [each for each, _ in filled] or ([*_declared(origin)] if origin.is_table else [])
    table = f"{where}, from the table in line {tables[0]}" if tables else where
    base = None if origin.target is None else base_of(origin.target)
    is_named = origin.target is None or any(each == base for each in walk(bound))
    is_looked_up = not is_named and any(isinstance(each, ArrayRef) for each in walk(bound))
    joined = "where" if is_named else "which derives from"
    comes = f", {joined} {site.spell(origin.target)} = {made} in {table}" if origin.target is not None else ""
    if not comes and (origin.source, origin.line) != (source, loop.line):
        comes = f", which {table} computes from {made}"
    runs = f"{_runs(loop, bound)} {site.spell(bound)}{comes}"
    shares = all(_is_divided(value) for _, value in filled) if filled else origin.has_size or _is_divided(origin.value)
    shares = shares and not is_end
    inner, apart = decided_by_data(loop), site.turns_apart(source, loop)
    is_alike = apart is not None and apart <= _ALIKE
    if (is_alike or (apart is None and shares)) and not may_differ(loop, site.sources.values()):
        return None
    at = "in" if source is site.source else "at"
    if inner and (is_alike or (apart is None and shares)):
        why = _reason_in_data(site, loop, inner, f"{at} {where_loop}", f", which {runs},")
        text = f"{why}: {_otherwise(loop)}"
    else:
        cure, so = "give each rank a part of equal cost", ""
        if is_alike:
            cure, so = _otherwise(loop), ", so ranks get equal numbers of iterations of different cost"
        elif apart is not None:
            so = ", so ranks get different numbers of iterations"
        elif shares and is_looked_up:  # another loop runs over a rank's part
            cure = "if equal parts differ in cost, deal the work out cyclically, or on demand"
        elif shares:
            cure = f"if iterations differ in cost, {_otherwise(loop)}"
            so = ", so ranks get equal numbers of iterations"
        called_by = "" if source.procedure_at(loop.line) is site.procedure else ", from which this region is called,"
        seen = f"the loop {at} {where_loop}{called_by} {runs}{so}"
        why = "" if apart is None else seen
        text = f"{cure}: {seen}"
    places = [(origin.source, origin.line), *reversed(origin.through), (source, loop.line)]
    places += [(origin.source, line) for line in tables]
    named = tuple(dict.fromkeys(site.place(line, file) for file, line in places))
    loop_at = f"the loop {at} {where_loop}"
    evidence = [f"one rank executes {apart:.3g} times as many iterations of {loop_at} as another"] if apart else []
    is_near = len(origin.through) <= _NEAR
    sure = HIGH if is_near and (origin.is_known or origin.is_table) else MEDIUM
    return Advice(KIND, text, named, (*_evidence(site), *evidence), site.gain, sure, why)


def _runs(loop: Loop, bound: Expression) -> str:
    """Return the words that describe how a bound limits a loop."""
    verbs = ((loop.last, "runs to"), (loop.first, "starts at"), (loop.step, "advances by"))
    return next((verb for each, verb in verbs if each is bound), "runs while")


def _tables(origin: Origin) -> Iterator[Expression]:
    """Yield the tables from which the rank selects an element."""
    return (each.array for each in walk(origin.value) if isinstance(each, ArrayRef))


def _filled(origin: Origin) -> Iterator[tuple[int, Expression]]:
    """Yield the lines that fill the tables of an origin, with the stored values."""
    procedure, tables = origin.source.procedure_at(origin.line), frozenset(_tables(origin))
    for statement, _ in statements(procedure.body) if procedure else ():
        match statement:
            case Assignment(target=ArrayRef(array=array), value=value) if array in tables:
                yield statement.line, value


def _declared(origin: Origin) -> Iterator[int]:
    """Yield the lines that declare and initialise the tables of an origin."""
    procedure = origin.source.procedure_at(origin.line)
    for each in _tables(origin):
        declaration = origin.source.declaration(procedure, each.name) if isinstance(each, Name) else None
        if declaration is not None and declaration.line and not declaration.is_argument:
            yield declaration.line


def _is_end(origins: Origins, origin: Origin, loop: Loop) -> bool:
    """Return whether a bound is the end of a rank's part, although the loop begins at the same index on all ranks."""
    procedure = origin.source.procedure_at(origin.line)
    known = origins.ranks.names(origin.source, procedure) if procedure else {}
    products = (each for each in walk(origin.value) if isinstance(each, Binary) and each.operator == "*")
    names = (each.name for product in products for each in walk(product) if isinstance(each, Name))
    return isinstance(loop.first, Number) and any(known.get(each, ("",))[0] == RANK for each in names)


def _is_divided(value: Expression) -> bool:
    """Return whether a value is a quotient, or the start of one of several equal parts, like ``rank*length + 1``."""
    for each in walk(value):
        match each:
            case Binary(operator="/", right=right) if not isinstance(right, Number):
                return True
            case Binary(operator="*", left=left, right=right):
                if not isinstance(left, Number) and not isinstance(right, Number):
                    return True
    return False


def _of_branch(site: Site, origins: Origins) -> Advice | None:
    """Return advice on work that only some ranks do: a branch on the rank that is inside the region or contains it."""
    known = origins.ranks.names(site.source, site.procedure)
    loops = [each for each, _ in statements(site.procedure.body) if isinstance(each, Loop)]
    changed = frozenset(map(Name, written_names(loops, by_value=True)))
    for statement, _ in statements(site.procedure.body):
        if not isinstance(statement, Branch) or not (statement.line <= site.last and statement.last_line >= site.first):
            continue
        for arm in statement.arms:
            used = () if arm.condition is None else _chosen_by(arm.condition, changed)
            if any(known.get(each.name, ("",))[0] == RANK for each in used):
                work = [loops for each, loops in statements(arm.body) if _is_work(site, each, loops)]
                depth = max(map(len, work), default=0)
                if not work or _receives(arm.body) or depth < _depth_outside(site, statement):
                    continue  # the branch handles a division's remainder, messages, or the edges of a grid
                has_loop = depth > 0
                why = f"line {statement.line} gives ranks different work ({site.spell(arm.condition)})"
                text = f"{why}: share this work among all ranks"
                sure = MEDIUM if has_loop else LOW
                return Advice(KIND, text, (site.place(statement.line),), _evidence(site), site.gain, sure, why)
    return None


def _chosen_by(condition: Expression, changed: frozenset[Name]) -> Iterator[Name]:
    """Yield the names in a condition, except those in comparisons that select the rank that owns a piece of work.

    In such a comparison, the rank is compared with a computed value, or with a variable that a loop changes.

    Args:
        condition: The condition.
        changed: Variables that loops change.
    """
    if isinstance(condition, Name):
        yield condition
    elif getattr(condition, "operator", "") in _COMPARING and not changed.isdisjoint(walk(condition)):
        return
    elif isinstance(condition, Binary) and condition.operator in _EQUAL:
        sides = (condition.left, condition.right)
        if all(isinstance(each, Name | Number) for each in sides):
            yield from (each for each in sides if isinstance(each, Name))
    else:
        for each in parts(condition):
            yield from _chosen_by(each, changed)


def _is_work(site: Site, statement: Statement, loops: Sequence[Loop]) -> bool:
    """Return whether a statement does work other than messages: file I/O, calls, or stores in loops."""
    if isinstance(statement, InputOutput):
        # Reading parameters once on one rank takes little time.
        return not is_terminal(site, statement) and (bool(loops) or statement.action == "write")
    if loops and isinstance(statement, Assignment):
        return True
    found = (each for expression in expressions_of(statement) for each in walk(expression))
    return any(isinstance(each, Call) and not each.is_pure and not _is_of_mpi(each) for each in found)


def _is_of_mpi(call: Call) -> bool:
    return call.name.lower().startswith("mpi_")


def _receives(body: Sequence[Statement]) -> bool:
    """Return whether statements receive messages: then other ranks share the work, as workers do for a master."""
    calls = (each.call for each, _ in statements(body) if isinstance(each, CallStatement))
    return any(each.name.lower() in RECEIVES for each in calls)


def _depth_outside(site: Site, branch: Branch) -> int:
    """Return how deeply the region's loops outside a branch are nested, not counting loops that contain the branch."""
    around = next(len(loops) for each, loops in statements(site.procedure.body) if each is branch)
    depths = [len(loops) + 1 - around for each, loops in site.loops if not branch.line <= each.line <= branch.last_line]
    return max(depths, default=0)


def _evidence(site: Site) -> tuple[str, ...]:
    found = []
    if (apart := site.numbers.get("visits_apart")) and apart > 1:
        found.append(f"one rank enters the region {apart:.3g} times as often as another")
    if (apart := site.numbers.get("instructions_apart")) and apart > 1:
        found.append(f"one rank executes {apart:.3g} times as many instructions as another")
    return tuple(found)
