"""Input and output in loops: pieces that are too small, what is read again, what is opened, flushed or formatted anew.

It serves disk I/O (paper 001, 6.1.2: data kept in memory).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .advice import HIGH, MEDIUM, Advice, Site
from .expression import ArrayRef, Expression, Name, Section, base_of
from .nest import InputOutput, Loop

__all__ = ["CAUSES", "KIND", "input_output"]

KIND: Final = "input and output"
CAUSES: Final = frozenset(("io_bytes",))

_SMALL: Final = 1 << 16  # bytes a call: file systems like to get at least as much


def input_output(site: Site) -> Iterator[Advice]:
    """Advise on each outermost loop of a site that reads or writes files."""
    found: dict[int, tuple[Loop, list[tuple[InputOutput, tuple[Loop, ...]]]]] = {}
    for statement, loops in site.statements:
        inside = [each for each in loops if each.line >= site.first] or list(loops[-1:])
        if isinstance(statement, InputOutput) and inside and not _is_in_memory(site, statement):
            found.setdefault(id(inside[0]), (inside[0], []))[1].append((statement, loops))
    for loop, uses in found.values():
        if advice := _of_loop(site, loop, uses):
            yield advice


def _is_in_memory(site: Site, statement: InputOutput) -> bool:
    """Tell whether it goes to a text in memory."""
    base = base_of(statement.unit) if isinstance(statement.unit, Expression) else None
    declaration = site.source.declaration(site.procedure, base.name) if isinstance(base, Name) else None
    return declaration is not None and declaration.element.kind == "character"


def _of_loop(site: Site, loop: Loop, uses: list[tuple[InputOutput, tuple[Loop, ...]]]) -> Advice | None:
    by_action: dict[str, list[InputOutput]] = {}
    for each, _ in uses:
        by_action.setdefault(each.action, []).append(each)
    moved = [*by_action.get("read", ()), *by_action.get("write", ())]
    sure, cure = HIGH, ""
    if by_action.keys() >= {"read", "write"}:
        named = [*by_action["read"], *by_action["write"]]
        cure = "what is written is read again: keep it in memory, and write it once behind the loop"
    elif named := by_action.get("flush", []):
        cure = "each turn waits for the disk: flush behind the loop"
    elif named := by_action.get("open", []):
        cure = "open the file once, before the loop"
    elif by_action.keys() >= {"read", "rewind"}:
        named = by_action["read"]
        cure = "the same is read again: keep it in memory"
    elif named := [each for each in moved if each.is_formatted]:
        sure, cure = MEDIUM, "numbers become text one by one: write them as they are in memory, many at once"
    elif named := moved if _is_small(site, moved) else []:
        sure, cure = MEDIUM, "collect what the turns read or write, and move it in large pieces"
    if not named:
        return None
    lines = tuple(dict.fromkeys(each.line for each in named))
    functions = ", ".join(dict.fromkeys(each.function or each.action for each in named))
    said = "line" if len(lines) == 1 else "lines"
    text = f"{functions} in {said} {', '.join(map(str, lines))}, in each turn of line {loop.line}: {cure}"
    places = tuple(site.place(each) for each in (*lines, loop.line))
    return Advice(KIND, text, places, _evidence(site), site.gain, sure)


def _is_small(site: Site, moved: list[InputOutput]) -> bool:
    """Tell whether a call moves little: by what was measured, else if single values are named."""
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
    return (f"{calls:.4g} calls, {volume / calls:.4g} bytes a call{small}",)
