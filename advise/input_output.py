"""Advice on input and output in loops: small pieces, repeated reads, opens and flushes, and formatting.

Advice is given for regions with much disk I/O (Liu et al. 2011, 6.1.2: data kept in memory).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .arms import arms_of, exclude_each_other
from .effects import written_names
from .expression import (
    UNKNOWN_ELEMENT,
    ArrayRef,
    Binary,
    Call,
    Expression,
    FieldRef,
    Name,
    Number,
    Section,
    Text,
    base_of,
    walk,
)
from .nest import Branch, CallStatement, Declaration, InputOutput, Jump, Loop, Statement, bodies, statements

__all__ = ["CAUSES", "KIND", "input_output", "is_terminal"]

KIND: Final = "input and output"
CAUSES: Final = frozenset(("io_bytes", "io_calls"))

_MOST_LINES: Final = 5  # largest number of lines named in the text; ``places`` includes all lines
_ENDING: Final = frozenset(("exit", "_exit", "abort", "mpi_abort"))
_TERMINAL: Final = frozenset(("stdout", "cout", "stderr", "cerr", "clog"))
_OF_LINES: Final = frozenset(("fgets", "getline"))
_IN_MEMORY: Final = frozenset(("sprintf", "snprintf", "sscanf"))
_POSITIONS: Final = dict.fromkeys(("pread", "pwrite", "pread64", "pwrite64"), 3)  # function → position of the offset
_FEW: Final = 32  # iterations; collecting so few pieces is not worthwhile
_STRING_STREAM: Final = re.compile(r"stringstream\b")
_NOT_FROM_THE_START: Final = frozenset(("append", "direct", "stream"))  # Fortran's ``position`` and ``access``
# How a file is opened → what to do instead.
_INSTEAD_OF_OPENING: Final = {
    "r": "if nothing else changes the file, read it once, before the loop, and keep the data in memory",
    "w": "write the file less often, for example after the loop, because each iteration replaces its content",
    "a": "open the file once, before the loop",
}
_UNITS: Final = (0, 6)  # unit numbers of the terminal in Fortran
_SMALL: Final = 1 << 16  # bytes per call; file systems are efficient at this size or more


def input_output(site: Site) -> Iterator[Advice]:
    """Yield advice on each outermost loop of a site that reads or writes files."""
    found: dict[int, tuple[Loop, list[tuple[InputOutput, tuple[Loop, ...]]]]] = {}
    last = set(_before_the_end(site.procedure.body))
    for statement, loops in site.statements:
        inside = [each for each in loops if each.line >= site.first] or list(loops[-1:])
        if (
            isinstance(statement, InputOutput)
            and inside
            and not _is_left_out(site, statement)
            and id(statement) not in last
        ):
            found.setdefault(id(inside[0]), (inside[0], []))[1].append((statement, loops))
    for loop, uses in found.values():
        if not _is_short(loop) and (advice := _of_loop(site, loop, uses)):
            yield advice


def _before_the_end(body: Sequence[Statement]) -> Iterator[int]:
    """Yield the ids of statements in blocks that end the program, such as error messages."""
    for each in body:
        for inner in bodies(each):
            yield from _before_the_end(inner)
    ends = [number for number, each in enumerate(body) if _ends(each)]
    if ends:
        yield from (id(each) for each in body[: ends[0]])


def _ends(statement: Statement) -> bool:
    match statement:
        case CallStatement(call=Call(name=name)):
            return name.lower() in _ENDING
        case Jump(kind="stop"):
            return True
    return False


def _is_left_out(site: Site, statement: InputOutput) -> bool:
    """Return whether a statement accesses a string in memory or data meant for people."""
    return _is_in_memory(site, statement) or _is_for_people(site, statement)


def _is_in_memory(site: Site, statement: InputOutput) -> bool:
    """Return whether a statement accesses a string in memory."""
    base = base_of(statement.unit) if isinstance(statement.unit, Expression) else None
    declaration = site.source.declaration(site.procedure, base.name) if isinstance(base, Name) else None
    is_stream = declaration is not None and _STRING_STREAM.search(declaration.element.structure) is not None
    is_text = declaration is not None and declaration.element.kind == "character"
    return is_text or is_stream or statement.function in _IN_MEMORY


def _of_loop(site: Site, loop: Loop, uses: list[tuple[InputOutput, tuple[Loop, ...]]]) -> Advice | None:
    by_action: dict[str, list[InputOutput]] = {}
    for each, _ in uses:
        by_action.setdefault(each.action, []).append(each)
    at_times, rare = set(_at_times(loop)), set(_at_intervals(loop))
    moved = [each for action in ("read", "write") for each in by_action.get(action, ()) if id(each) not in rare]
    is_moved_on = any(_varies(each, loop) for each in by_action.get("rewind", ()))
    goes_back = bool(by_action.keys() & {"rewind", "open"})
    sure, cure = HIGH, ""
    in_order = is_moved_on or any(loop.variable in {*walk(at)} for at in map(_position, moved) if at is not None)
    if named := _written_and_read(moved, loop, in_order=in_order, goes_back=goes_back):
        cure = "keep the data in memory instead of reading it back, and write it once, after the loop"
    elif named := [each for each in by_action.get("flush", []) if id(each) not in at_times and not _is_own(each, loop)]:
        cure = "flush the output once, after the loop"
    elif named := [each for each in by_action.get("open", []) if id(each) not in rare and not _varies(each, loop)]:
        cure = _INSTEAD_OF_OPENING.get(_how_opened(site, named[0], moved), _INSTEAD_OF_OPENING["a"])
    elif "rewind" in by_action and not is_moved_on and (named := by_action.get("read", [])):
        cure = "keep the data in memory instead of reading the same data again"
    elif named := [each for each in moved if _is_converted(site, each, loop)]:
        sure, cure = MEDIUM, "write numbers in binary, many at once, instead of converting each number to text"
        if not any(each.action == "write" for each in named):
            cure = "use a binary file, and read many numbers at once, instead of converting each number from text"
    elif named := moved if _is_small(site, moved) else []:
        sure = MEDIUM
        cure = f"buffer the data of many iterations, and read or write it in large blocks{_by_all(named)}"
    if not named:
        return None
    turns = "in each iteration"
    if all(id(each) in at_times for each in named):
        turns, sure = "in some iterations", MEDIUM if sure == HIGH else LOW
    lines = tuple(dict.fromkeys(each.line for each in named))
    by_name: dict[str, dict[int, None]] = {}
    for each in named[:_MOST_LINES]:
        by_name.setdefault(each.function or each.action, {})[each.line] = None
    calls = ", ".join(f"{name} in {_lines(found)}" for name, found in by_name.items())
    more = f" and {len(named) - _MOST_LINES} more" if len(named) > _MOST_LINES else ""
    text = f"{calls}{more}, {turns} of the loop in line {loop.line}: {cure}"
    places = tuple(site.place(each) for each in (*lines, loop.line))
    return Advice(KIND, text, places, _evidence(site), site.gain, sure)


def _is_own(statement: InputOutput, loop: Loop) -> bool:
    """Return whether a stream is local to an iteration, so that it is flushed at the iteration's end anyway."""
    made = (each for each, _ in statements(loop.body) if isinstance(each, Declaration))
    return isinstance(statement.unit, Name) and any(each.name == statement.unit.name for each in made)


def _how_opened(site: Site, opened: InputOutput, moved: Sequence[InputOutput]) -> str:
    """Return ``r`` if a file is opened to be read from its start, ``w`` if its content is replaced, otherwise ``a``.

    In Fortran and in stream methods, the call that opens a file and the calls that use it name the same unit.
    """
    if opened.function in ("fopen", "freopen"):
        modes = (each.value for each in opened.items[1:2] if isinstance(each, Text) and "+" not in each.value)
        return next(modes, "a")[:1]
    if opened.unit is None or opened.unit in opened.items:
        return "a"  # descriptors and MPI-IO do not replace the content by default
    is_fortran = site.source.language == "fortran"
    texts = {each.value.lower() for each in opened.items if isinstance(each, Text)}
    if not texts.isdisjoint(_NOT_FROM_THE_START) or (not is_fortran and opened.items[1:]):
        return "a"
    uses = {each.action for each in moved if each.unit == opened.unit}
    return "a" if len(uses) != 1 else "r" if uses == {"read"} else "w"


def _is_short(loop: Loop) -> bool:
    match loop:
        case Loop(first=Number(value=first), last=Number(value=last)):
            return abs(last - first) < _FEW
    return False


def _by_all(named: Sequence[InputOutput]) -> str:
    """Return a hint to move many pieces at once with a datatype and a collective call; empty if there is no MPI-IO."""
    calls = [each.function for each in named if each.function.startswith("MPI_File_")]
    if not calls:
        return ""
    alone = [each for each in calls if not each.endswith(("_all", "_ordered"))]
    shared = "_ordered instead of _shared" if alone and alone[0].endswith("_shared") else ""
    by_all = f", in a collective call ({shared or f'{alone[0]}_all'})" if alone else ""
    return f", with one datatype or file view for all pieces{by_all}"


def _lines(lines: Iterable[int]) -> str:
    named = [*lines]
    return f"line{'s' * (len(named) > 1)} {', '.join(map(str, named))}"


def _written_and_read(moved: list[InputOutput], loop: Loop, *, in_order: bool, goes_back: bool) -> list[InputOutput]:
    """Return the I/O statements of files that one iteration both writes and reads.

    Args:
        moved: The reads, then the writes.
        loop: The loop.
        in_order: Whether data count only if they are written before they are read, because iterations access different
            parts of the file.
        goes_back: Whether an iteration moves back in the file. If not, only accesses with explicit positions count,
            because data that follow in a file, or come from a socket, were not written here.
    """
    if not goes_back:
        moved = [each for each in moved if _position(each) is not None]
    if in_order and not any(
        one.line < two.line for one in moved for two in moved if (one.action, two.action) == ("write", "read")
    ):
        return []
    arms = dict(arms_of(loop.body))
    places = [[arms[id(each)] for each in moved if each.action == action] for action in ("read", "write")]
    if all(exclude_each_other(one, two) for one in places[0] for two in places[1]):
        return []
    parts = [{_part(each) for each in moved if each.action == action and each.unit} for action in ("read", "write")]
    return [each for each in moved if _part(each) in parts[0] & parts[1]]


def _part(statement: InputOutput) -> tuple[Expression | None, Expression | None]:
    """Return the file and, if the call specifies it, the position in the file."""
    return statement.unit, _position(statement)


def _position(statement: InputOutput) -> Expression | None:
    at = _POSITIONS.get(statement.function, 1 if "_at" in statement.function else 0)
    return statement.items[at] if 0 < at < len(statement.items) else statement.record


def _varies(statement: InputOutput, loop: Loop) -> bool:
    """Return whether each iteration accesses a different file."""
    writes = (each for each, _ in statements(loop.body) if isinstance(each, InputOutput) and each.action == "write")
    texts = {base.name for each in writes if each.unit is not None and (base := base_of(each.unit))}
    changed = written_names([loop]) | texts
    items = (each for each in statement.items if statement.action == "open" or each != statement.unit)
    return any(isinstance(each, Name) and each.name in changed for item in items for each in walk(item))


def _is_converted(site: Site, statement: InputOutput, loop: Loop) -> bool:
    """Return whether a statement converts numbers, other than the loop's counter, to or from text."""
    labels = (statement.unit, loop.variable)
    is_label = bool(statement.items) and all(isinstance(each, Text) or each in labels for each in statement.items)
    return statement.is_formatted and not is_label and not _is_text(site, statement)


def _is_for_people(site: Site, statement: InputOutput) -> bool:
    """Return whether data are meant for people: on the terminal, text with words, or an empty line."""
    has_words = any(isinstance(each, Text) for each in statement.items) or not statement.items
    in_words = site.source.language == "fortran" and statement.action == "write" and statement.is_formatted
    return (in_words and has_words) or is_terminal(site, statement)


def is_terminal(site: Site, statement: InputOutput) -> bool:
    """Return whether a statement reads from or writes to the terminal."""
    match statement.unit:
        case None:
            return True
        case Name(name=name):
            return name in _TERMINAL
        case Number(value=value):
            return site.source.language == "fortran" and value in _UNITS
    return False


def _is_text(site: Site, statement: InputOutput) -> bool:
    """Return whether all data are string variables or string literals."""

    def is_one(item: Expression) -> bool:
        match item:
            case Text():
                return True
            case Name(name=name):
                declaration = site.source.declaration(site.procedure, name)
                element = declaration.element if declaration is not None else UNKNOWN_ELEMENT
                return element.kind == "character" or "basic_string<" in element.structure
            case ArrayRef(element=element) | FieldRef(element=element):
                return element.kind == "character"
        return False

    items = [each for each in statement.items if each != statement.unit]
    return bool(items) and all(map(is_one, items))


def _at_times(loop: Loop) -> Iterator[int]:
    """Yield the ids of statements inside branches, which are executed only under conditions."""
    for statement, _ in statements(loop.body):
        for arm in statement.arms if isinstance(statement, Branch) else ():
            yield from (id(each) for each, _ in statements(arm.body))


def _at_intervals(loop: Loop) -> Iterator[int]:
    """Yield the ids of statements that are executed only at intervals, such as in every hundredth iteration."""
    is_skipped = False
    for statement in loop.body:
        rare: list[tuple[Statement, ...]] = [(statement,)] if is_skipped else []
        for arm in statement.arms if isinstance(statement, Branch) else ():
            if arm.condition is not None and any(map(_is_remainder, walk(arm.condition))):
                rare.append(arm.body)
                is_skipped = is_skipped or (bool(arm.body) and isinstance(arm.body[-1], Jump))
        yield from (id(each) for body in rare for each, loops in statements(body) if not loops)


def _is_remainder(expression: Expression) -> bool:
    match expression:
        case Binary(operator="%") | Call(name="mod" | "modulo"):
            return True
    return False


def _is_small(site: Site, moved: list[InputOutput]) -> bool:
    """Return whether each call moves little data, as measured or, if calls were not counted, as in the source."""
    calls = site.numbers.get("io_calls", 0)
    if all(each.function in _OF_LINES for each in moved):
        return False
    if calls:
        return site.numbers.get("io_bytes", 0) / calls < _SMALL
    items = [item for each in moved for item in each.items]
    return bool(items) and all(isinstance(each, ArrayRef) and not _is_section(each) for each in items)


def _is_section(reference: ArrayRef) -> bool:
    return any(isinstance(each, Section) for each in reference.subscripts)


def _evidence(site: Site) -> tuple[str, ...]:
    calls, volume = site.numbers.get("io_calls", 0), site.numbers.get("io_bytes", 0)
    if not calls:
        return ()
    small = ", which is small" if volume / calls < _SMALL else ""
    return (f"{calls:.4g} calls, {volume / calls:.4g} bytes per call{small}",)
