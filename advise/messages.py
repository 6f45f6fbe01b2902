"""Advice on messages: many small messages, repeated or mergeable messages, and pairs that wait for each other.

Advice is given for regions in which ranks transfer much data, make many small calls, or wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from .advice import HIGH, MEDIUM, Advice, Site
from .arms import arms_of, exclude_each_other
from .changes import with_other_names
from .effects import expressions_of, names_in, written_names
from .expression import Binary, Call, Expression, Name, Number, Unary, base_of, walk
from .nest import Assignment, Branch, CallStatement, Jump, Loop, OtherStatement, Statement, bodies, statements

__all__ = ["CAUSES", "KIND", "messages", "moved"]

KIND: Final = "messages"
_OF_MESSAGES: Final = frozenset(("mpi_bytes", "small_calls", "waiting"))
CAUSES: Final = _OF_MESSAGES | {"one_after_another"}

_SMALL: Final = 16  # elements; so few elements take fewer bytes than a message's header
_SMALL_BYTES: Final = 1024  # bytes per call

# Function → positions of buffer, number of elements, and partner or root among the arguments.
_ONE_SIDE: Final = {
    **dict.fromkeys(("mpi_send", "mpi_isend", "mpi_ssend", "mpi_bsend", "mpi_rsend"), (0, 1, 3)),
    **dict.fromkeys(("mpi_recv", "mpi_irecv"), (0, 1, 3)),
    **dict.fromkeys(("mpi_sendrecv",), (0, 1, 3)),
    **dict.fromkeys(("mpi_bcast",), (0, 1, 3)),
}
# Function → positions of datatype, operation, root and communicator among the arguments.
_REDUCTIONS: Final = {"mpi_allreduce": (3, 4, 5), "mpi_reduce": (3, 4, 5, 6)}
_RECEIVED: Final = {"mpi_recv": 0, "mpi_irecv": 0, "mpi_sendrecv": 5}  # function → position of the receive buffer
_TAG: Final = 4  # position of the tag among the arguments of sends and receives
_MOVING: Final = ("send", "recv", "bcast", "gather", "scatter", "reduce", "alltoall")
_MOST: Final = 3  # largest number of calls that are named
_NO_RANKS: Final = frozenset(("mpi_any_source", "mpi_proc_null"))
_BLOCKING: Final = {"mpi_send": "mpi_recv", "mpi_recv": "mpi_send"}


class _Use(NamedTuple):
    call: Call
    name: str
    statement: Statement
    loops: tuple[Loop, ...]

    @property
    def line(self) -> int:
        return self.statement.line


def messages(site: Site) -> Iterator[Advice]:
    """Yield advice on the MPI calls of a site."""
    uses = list(_uses(site))
    if "one_after_another" not in site.causes or site.causes & _OF_MESSAGES:
        yield from _small(site, uses)
        yield from _again(site, uses)
        yield from _one_reduction(site)
    yield from _pairs(site)
    yield from _pipeline(site, uses)


def moved(site: Site) -> Iterator[Advice]:
    """Yield advice on the calls that transfer data in a loop, for sites with much transfer that get no other advice."""
    uses = [use for use in _uses(site) if use.loops and any(part in use.name for part in _MOVING)]
    uses = [use for use in uses if use.loops[-1] is uses[0].loops[-1]][:_MOST]
    if uses:
        calls = ", ".join(dict.fromkeys(f"{use.call.name} in line {use.line}" for use in uses))
        each_time = f"{calls}, in each iteration of the loop in line {uses[0].loops[-1].line}"
        text = f"{each_time}: check whether receivers need all of the data every time; if not, send less, or less often"
        yield _advice(site, text, [use.line for use in uses], MEDIUM)


def _uses(site: Site) -> Iterator[_Use]:
    for statement, loops in site.statements:
        for expression in expressions_of(statement):
            for each in walk(expression):
                if isinstance(each, Call) and each.name.lower().startswith("mpi_"):
                    yield _Use(each, each.name.lower(), statement, loops)


def _advice(site: Site, text: str, lines: Sequence[int], sure: str, *evidence: str) -> Advice:
    calls, volume = site.numbers.get("mpi_calls", 0), site.numbers.get("mpi_bytes", 0)
    measured = (f"{calls:.4g} calls, {volume / calls:.4g} bytes per call",) if calls else ()
    places = tuple(dict.fromkeys(site.place(each) for each in lines))
    return Advice(KIND, text, places, (*evidence, *measured), site.gain, sure)


def _argument(use: _Use, at: int) -> Expression | None:
    return use.call.arguments[at] if at < len(use.call.arguments) else None


def _varies(expression: Expression | None, loop: Loop) -> bool:
    if expression is None:
        return True
    changed = written_names([loop], by_value=True)
    return any(isinstance(each, Name) and each.name in changed for each in walk(expression))


def _is_small(site: Site, use: _Use, at: int) -> bool:
    count = _argument(use, at)
    if isinstance(count, Number):
        return count.value <= _SMALL
    calls = site.numbers.get("mpi_calls", 0)
    return bool(calls) and site.numbers.get("mpi_bytes", 0) / calls <= _SMALL_BYTES


def _small(site: Site, uses: Sequence[_Use]) -> Iterator[Advice]:
    for use in uses:
        at = _ONE_SIDE.get(use.name)
        if at is None or use.name == "mpi_bcast" or not use.loops or not _is_small(site, use, at[1]):
            continue
        loop = use.loops[-1]
        if _is_anyone(_argument(use, at[2])) or not _is_independent(use, uses):
            continue
        if not _varies(_argument(use, at[2]), loop) and _varies(_argument(use, at[0]), loop):
            partner = site.spell(_argument(use, at[2]))
            text = (
                f"{use.call.name} in line {use.line} transfers {_elements(site, use, at[1])} in each"
                f" iteration of the loop in line {loop.line}, always to or from rank {partner}: combine these messages"
                " into one"
            )
            yield _advice(site, text, (use.line, loop.line), HIGH)


def _elements(site: Site, use: _Use, at: int) -> str:
    """Return a phrase about the number of elements in a message."""
    count = _argument(use, at)
    return f"{site.spell(count)} element{'s' * (count != Number(1))}"


def _is_anyone(partner: Expression | None) -> bool:
    """Return whether a partner is MPI_ANY_SOURCE or MPI_PROC_NULL instead of a rank."""
    if isinstance(partner, Name):
        return partner.name.lower() in _NO_RANKS
    return isinstance(partner, Number) and partner.value < 0


def _is_independent(use: _Use, uses: Sequence[_Use]) -> bool:
    """Return whether the messages of a loop can be sent at the same time.

    The received data must not be used before the next message, and the sent data must not be computed after the
    previous message. The loop must contain no other message, and must not exit after a message.
    """
    loop = use.loops[-1]
    if any(other.statement is not use.statement and loop in other.loops for other in uses):
        return False
    bodies_ = [body for body in _lists(loop.body) if any(each is use.statement for each in body)]
    if any(isinstance(body[-1], Jump) and body[-1].kind != "cycle" for body in bodies_):
        return False
    received = [_argument(use, _RECEIVED[use.name])] if use.name in _RECEIVED else []
    sent = [] if "recv" in use.name and use.name != "mpi_sendrecv" else [_argument(use, 0)]
    elsewhere = {name for name, statement in names_in(loop.body) if statement is not use.statement}
    return not any(base and base.name in elsewhere for base in map(_base, received)) and not any(
        base is None or _is_written(base.name, use, loop) for base in map(_base, sent)
    )


def _base(buffer: Expression | None) -> Name | None:
    """Return the variable of a buffer, such as ``x`` in ``&x[i]`` and ``x + i``."""
    if buffer is None:
        return None
    names = (each for each in walk(buffer) if isinstance(each, Name))
    return base_of(buffer.operand if isinstance(buffer, Unary) else buffer) or next(names, None)


def _again(site: Site, uses: Sequence[_Use]) -> Iterator[Advice]:
    """Yield advice on broadcasts of unchanged data and on broadcasts that only gather the data of all ranks."""
    for use in uses:
        if use.name != "mpi_bcast" or not use.loops:
            continue
        buffer, root = _argument(use, 0), _argument(use, 3)
        base = _base(buffer)
        rooted = next((each for each in use.loops if each.variable is not None and each.variable == root), None)
        if rooted is not None and base is not None and _used_by_all(base, use, rooted):
            continue
        if rooted is not None:
            text = (
                f"line {use.line} broadcasts the ranks' data one by one: use MPI_Gatherv if only one rank needs the"
                " data, otherwise MPI_Allgatherv; send only the filled part"
            )
            yield _advice(site, text, (use.line, rooted.line), MEDIUM)
        elif base is not None and not _varies(buffer, use.loops[-1]) and not _may_change(site, base, use):
            text = (
                f"line {use.line} broadcasts {site.spell(buffer)} in each iteration of the loop in line"
                f" {use.loops[-1].line}, although no iteration changes it: broadcast it once, before the loop"
            )
            yield _advice(site, text, (use.line, use.loops[-1].line), MEDIUM)


def _may_change(site: Site, buffer: Name, use: _Use) -> bool:
    """Return whether an iteration may change a broadcast buffer, directly, by another name, or in a called function."""
    loop, declared = use.loops[-1], site.source.declaration(site.procedure, buffer.name)
    if any(_is_written(each, use, loop) for each in with_other_names(site, [buffer.name])):
        return True
    is_reached = declared is None or declared.outlives or declared.may_overlap
    return is_reached and next(_calls(loop.body), None) is not None


def _used_by_all(base: Name, use: _Use, loop: Loop) -> bool:
    """Return whether all ranks, not only a rank that a condition selects, use a buffer before the next broadcast."""
    for body in _lists(loop.body):
        for statement in body if any(each is use.statement for each in body) else ():
            if statement.line > use.line and base.name in _all_names(statement):
                heads = [*expressions_of(statement)] if isinstance(statement, Branch | Loop) else []
                parts_ = (part for each in heads for part in walk(each))
                if not any(isinstance(each, Binary) and each.operator == "==" for each in parts_):
                    return True
    return False


def _is_written(name: str, use: _Use, loop: Loop) -> bool:
    """Return whether a variable, or its target, may change in a loop, other than by the call itself."""
    for statement, _ in statements(loop.body):
        if statement is use.statement:
            continue
        target = getattr(statement, "target", None)
        base = base_of(target) if isinstance(target, Expression) else None
        if base is not None and base.name == name:
            return True
        for expression in expressions_of(statement):
            for each in walk(expression):
                if (
                    isinstance(each, Call)
                    and not each.is_pure
                    and any(isinstance(part, Name) and part.name == name for part in walk(each))
                ):
                    return True
    return False


def _lists(body: Sequence[Statement]) -> Iterator[Sequence[Statement]]:
    yield body
    for statement in body:
        for each in bodies(statement):
            yield from _lists(each)


def _in_turn(site: Site) -> Iterator[tuple[list[_Use], Sequence[Statement]]]:
    """Yield the MPI calls of the region in each list of statements, in order, together with that list."""
    for body in _lists(site.procedure.body):
        calls = []
        for statement in body:
            if not isinstance(statement, CallStatement) or not site.first <= statement.line <= site.last:
                continue
            if (name := statement.call.name.lower()).startswith("mpi_"):
                calls.append(_Use(statement.call, name, statement, ()))
        yield calls, body


def _one_reduction(site: Site) -> Iterator[Advice]:
    for calls, body in _in_turn(site):
        alike: dict[object, list[list[_Use]]] = {}
        for use in calls:
            if use.name in _REDUCTIONS:
                what = (use.name, *(_argument(use, at) for at in _REDUCTIONS[use.name]))
                groups = alike.setdefault(what, [[]])
                if any(_needs(site, use, each, body) for each in groups[-1]):
                    groups.append([])
                groups[-1].append(use)
        for uses in (group for groups in alike.values() for group in groups):
            if len(uses) > 1:
                lines = ", ".join(str(each.line) for each in uses)
                text = (
                    f"{uses[0].call.name} is called in lines {lines}: combine these calls if none needs the result of"
                    " another"
                )
                yield _advice(site, text, [each.line for each in uses], MEDIUM)


def _needs(site: Site, later: _Use, earlier: _Use, body: Sequence[Statement]) -> bool:
    """Return whether a call's input may depend on what an earlier call receives, directly or through other calls."""
    between = _between(earlier, later, body)
    made = _names_in(_argument(earlier, 1 if earlier.name in _REDUCTIONS else 0))
    sent = _names_in(_argument(later, 0)) or _names_in(_argument(later, 1))  # with MPI_IN_PLACE, the receive buffer
    declared = (site.source.declaration(site.procedure, each) for each in made)
    is_seen = any(each is not None and each.outlives for each in declared)
    for call in _calls(between):
        if is_seen or not made.isdisjoint(_names_in(call)):
            return True
    while (more := made | _made_of(between, made, chosen=False)) != made:
        made = more
    return not made.isdisjoint(sent) or any(_chooses(each, made) for each in between)


def _calls(body: Sequence[Statement]) -> Iterator[Call]:
    """Yield the calls to functions with unknown effects, except MPI functions."""
    for statement, _ in statements(body):
        for each in (part for expression in expressions_of(statement) for part in walk(expression)):
            if isinstance(each, Call) and not each.is_pure and not each.name.lower().startswith("mpi_"):
                yield each


def _between(earlier: _Use, later: _Use, body: Sequence[Statement]) -> Sequence[Statement]:
    at = [id(each) for each in body]
    return body[at.index(id(earlier.statement)) + 1 : at.index(id(later.statement))]


def _chooses(statement: Statement, made: frozenset[str]) -> bool:
    """Return whether a statement uses the given values to decide which calls follow or whether to continue."""
    if not isinstance(statement, Branch | Loop) or made.isdisjoint(_all_names(statement)):
        return False
    inside = [each for each, _ in statements([statement])]
    return any(isinstance(each, Jump | CallStatement | OtherStatement) for each in inside)


def _all_names(statement: Statement) -> frozenset[str]:
    found = (_names_in(part) for each, _ in statements([statement]) for part in expressions_of(each))
    return frozenset[str]().union(*found)


def _made_of(body: Sequence[Statement], names: frozenset[str], *, chosen: bool) -> frozenset[str]:
    """Return the variables that depend on the given variables, through their values or through branches on them."""
    found: set[str] = set()
    for statement in body:
        used = frozenset[str]().union(*map(_names_in, expressions_of(statement)))
        if chosen or not names.isdisjoint(used):
            found |= written_names([statement])
            if isinstance(statement, Assignment) and (base := base_of(statement.target)):
                found.add(base.name)
        inside = chosen or (isinstance(statement, Branch | Loop) and not names.isdisjoint(used))
        for each in bodies(statement):
            found |= _made_of(each, names, chosen=inside)
    return frozenset(found)


def _names_in(expression: Expression | None) -> frozenset[str]:
    found = () if expression is None else walk(expression)
    return frozenset(each.name for each in found if isinstance(each, Name))


def _pairs(site: Site) -> Iterator[Advice]:
    for calls, body in _in_turn(site):
        for one, two in pairwise(calls):
            is_pair = _BLOCKING.get(one.name) == two.name and _argument(one, 0) != _argument(two, 0)
            if not is_pair or _is_question(one, two) or (one.name == "mpi_recv" and _needs(site, two, one, body)):
                continue
            if not any(isinstance(each, Loop | CallStatement) for each in _between(one, two, body)):
                text = (
                    f"the calls in lines {one.line} and {two.line} wait one after the other: use MPI_Sendrecv, or call"
                    " MPI_Irecv early and compute meanwhile"
                )
                yield _advice(site, text, (one.line, two.line), MEDIUM)


def _is_question(one: _Use, two: _Use) -> bool:
    """Return whether the second of two calls may answer the first.

    This is possible if the calls have the same partner but different tags, or if one of the calls does not name a rank
    as its partner.
    """
    has_tags = _argument(one, _TAG) != _argument(two, _TAG)
    is_same = _argument(one, 3) == _argument(two, 3)
    return (is_same and has_tags) or _is_anyone(_argument(one, 3)) or _is_anyone(_argument(two, 3))


def _pipeline(site: Site, uses: Sequence[_Use]) -> Iterator[Advice]:
    """Yield advice if work between a receive and a send serialises the ranks."""
    arms = dict(arms_of(site.procedure.body))
    for one in uses:
        for two in uses:
            if one.name != "mpi_recv" or two.name != "mpi_send" or one.loops != two.loops or one.line >= two.line:
                continue
            if exclude_each_other(arms[id(one.statement)], arms[id(two.statement)]):
                continue
            if _is_anyone(_argument(one, 3)) or any(
                _varies(_argument(*each), loop) for loop in one.loops[-1:] for each in ((one, 3), (two, 3), (two, 0))
            ):
                continue  # a server, a tree, or work that is already sent in parts
            work = [each.line for each, _ in site.loops if one.line < each.line < two.line]
            if work and _argument(one, 3) != _argument(two, 3):
                text = (
                    f"line {one.line} receives before the work begins, and line {two.line} sends after all the work:"
                    f" send parts earlier, or move work that does not need the message before line {one.line}"
                )
                yield _advice(site, text, (one.line, two.line, work[0]), MEDIUM)
                return
