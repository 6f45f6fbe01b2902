"""Advice on input and output in loops: small pieces, repeated reads, opens and flushes, and formatting.

It is given for disk I/O (Liu et al. 2011, 6.1.2: data kept in memory).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from .advice import HIGH, LOW, MEDIUM, Advice, Site
from .arms import arms_of, exclude_each_other
from .effects import written_names
from .expression import ArrayRef, Call, Expression, FieldRef, Name, Number, Section, Text, base_of, walk
from .nest import Branch, CallStatement, InputOutput, Jump, Loop, Statement, bodies, statements

__all__ = ["CAUSES", "KIND", "input_output", "is_terminal"]

KIND: Final = "input and output"
CAUSES: Final = frozenset(("io_bytes", "io_calls"))

_MOST_LINES: Final = 5  # largest number of lines named in the text; ``places`` includes all
_ENDING: Final = frozenset(("exit", "_exit", "abort", "mpi_abort"))
_ERRORS: Final = frozenset(("stderr", "cerr", "clog"))
_TERMINAL: Final = frozenset(("stdout", "cout", *_ERRORS))
_UNITS: Final = (0, 6)  # the same as unit numbers in Fortran
_SMALL: Final = 1 << 16  # bytes per call; file systems are efficient from this size on


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
        if advice := _of_loop(site, loop, uses):
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
    """Return whether a statement accesses a string in memory, or writes an error message."""
    return _is_in_memory(site, statement) or (isinstance(statement.unit, Name) and statement.unit.name in _ERRORS)


def _is_in_memory(site: Site, statement: InputOutput) -> bool:
    """Return whether a statement accesses a string in memory."""
    base = base_of(statement.unit) if isinstance(statement.unit, Expression) else None
    declaration = site.source.declaration(site.procedure, base.name) if isinstance(base, Name) else None
    return declaration is not None and declaration.element.kind == "character"


def _of_loop(site: Site, loop: Loop, uses: list[tuple[InputOutput, tuple[Loop, ...]]]) -> Advice | None:
    by_action: dict[str, list[InputOutput]] = {}
    for each, _ in uses:
        by_action.setdefault(each.action, []).append(each)
    moved = [*by_action.get("read", ()), *by_action.get("write", ())]
    sure, cure = HIGH, ""
    if named := _written_and_read(moved, loop):
        cure = "the data written are read again: keep them in memory, and write them once, after the loop"
    elif named := [each for each in by_action.get("flush", []) if not is_terminal(site, each)]:
        cure = "each iteration flushes its output: flush after the loop instead"
    elif named := [each for each in by_action.get("open", []) if not _varies(each, loop)]:
        cure = "open the file once, before the loop"
    elif "rewind" in by_action and (named := by_action.get("read", [])):
        cure = "the same data are read again: keep them in memory"
    elif named := [each for each in moved if _is_converted(site, each)]:
        sure, cure = MEDIUM, "numbers are converted to text one by one: write them in binary, many at once"
        if not any(each.action == "write" for each in named):
            cure = "text is converted to numbers one by one: use a binary file, and read many at once"
    elif named := [each for each in by_action.get("write", []) if _is_said(site, each)]:
        sure, cure = LOW, "print less often, or all at once at the end"
    elif named := moved if _is_small(site, moved) else []:
        sure, cure = MEDIUM, f"collect what the iterations read or write, and move it in large pieces{_by_all(named)}"
    if not named:
        return None
    turns = "in each iteration"
    if all(each in set(_at_times(loop)) for each in map(id, named)):
        turns, sure = "in some iterations", MEDIUM if sure == HIGH else LOW
    lines = tuple(dict.fromkeys(each.line for each in named))
    by_name: dict[str, dict[int, None]] = {}
    for each in named[:_MOST_LINES]:
        by_name.setdefault(each.function or each.action, {})[each.line] = None
    calls = ", ".join(f"{name} in {_lines(found)}" for name, found in by_name.items())
    more = f" and {len(named) - _MOST_LINES} more" if len(named) > _MOST_LINES else ""
    text = f"{calls}{more}, {turns} of line {loop.line}: {cure}"
    places = tuple(site.place(each) for each in (*lines, loop.line))
    return Advice(KIND, text, places, _evidence(site), site.gain, sure)


def _by_all(named: Sequence[InputOutput]) -> str:
    """Return a hint on how MPI-IO moves many pieces at once, by one datatype in a collective call; maybe empty."""
    calls = [each.function for each in named if each.function.startswith("MPI_File_")]
    if not calls:
        return ""
    alone = [each for each in calls if not each.endswith(("_all", "_ordered"))]
    shared = "_ordered instead of _shared" if alone and alone[0].endswith("_shared") else ""
    by_all = f", in a collective call ({shared or f'{alone[0]}_all'})" if alone else ""
    return f": describe all of it by one datatype or file view{by_all}"


def _lines(lines: Iterable[int]) -> str:
    named = [*lines]
    return f"line{'s' * (len(named) > 1)} {', '.join(map(str, named))}"


def _written_and_read(moved: list[InputOutput], loop: Loop) -> list[InputOutput]:
    """Return the input and output of a file that one iteration both writes and reads."""
    arms = dict(arms_of(loop.body))
    places = [[arms[id(each)] for each in moved if each.action == action] for action in ("read", "write")]
    if all(exclude_each_other(one, two) for one in places[0] for two in places[1]):
        return []
    units = [{each.unit for each in moved if each.action == action and each.unit} for action in ("read", "write")]
    return [each for each in moved if each.unit in units[0] & units[1]]


def _varies(statement: InputOutput, loop: Loop) -> bool:
    """Return whether each iteration names a different file."""
    writes = (each for each, _ in statements(loop.body) if isinstance(each, InputOutput) and each.action == "write")
    texts = {base.name for each in writes if each.unit is not None and (base := base_of(each.unit))}
    changed = written_names([loop]) | texts
    return any(isinstance(each, Name) and each.name in changed for item in statement.items for each in walk(item))


def _is_converted(site: Site, statement: InputOutput) -> bool:
    """Return whether a statement converts numbers to or from text that other programs could read."""
    return statement.is_formatted and not _is_text(site, statement) and not _is_said(site, statement)


def _is_said(site: Site, statement: InputOutput) -> bool:
    """Return whether output is meant for people: to the terminal, with words, or an empty line."""
    if statement.action != "write":
        return False
    in_words = site.source.language == "fortran" and (
        any(isinstance(each, Text) for each in statement.items) or (statement.is_formatted and not statement.items)
    )
    return in_words or is_terminal(site, statement)


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
    """Return whether all data are strings, as far as declared."""

    def is_one(item: Expression) -> bool:
        match item:
            case Text():
                return True
            case Name(name=name):
                declaration = site.source.declaration(site.procedure, name)
                return declaration is not None and declaration.element.kind == "character"
            case ArrayRef(element=element) | FieldRef(element=element):
                return element.kind == "character"
        return False

    return site.source.language == "fortran" and bool(statement.items) and all(map(is_one, statement.items))


def _at_times(loop: Loop) -> Iterator[int]:
    """Yield the ids of conditional statements."""
    for statement, _ in statements(loop.body):
        for arm in statement.arms if isinstance(statement, Branch) else ():
            yield from (id(each) for each, _ in statements(arm.body))


def _is_small(site: Site, moved: list[InputOutput]) -> bool:
    """Return whether calls move little data, by measurement or because they list single values."""
    calls = site.numbers.get("io_calls", 0)
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
    small = ", which is little" if volume / calls < _SMALL else ""
    return (f"{calls:.4g} calls, {volume / calls:.4g} bytes per call{small}",)
