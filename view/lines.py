"""Print lines of text: wrapped between words on a terminal, unchanged for other programs."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO

__all__ = ["broken", "print_lines", "width_of"]

_USUAL: Final = 80  # columns to assume if a terminal does not report its width

# The prefix of a line: numbers and a label, such as ``1  HOT SPOT`` or ``system``.
_LABEL: Final = re.compile(r" *(?P<numbers>(?:[0-9]+ {2,})*)(?:[^ ]+(?: [^ ]+)? {2,})?")
_GAP: Final = re.compile(r"( {2,})")
_NUMBER: Final = re.compile(r"(?:^|[ (<≥+-])[0-9][0-9.e+]*$")
_HELD: Final = ("<", "=", "≥", "‹")  # characters after which a line is not broken


def width_of(stream: TextIO) -> int | None:
    """Return a terminal's number of columns, or the value of ``COLUMNS``; None if the stream is not a terminal."""
    if not stream.isatty():
        return None
    try:
        itself = os.get_terminal_size(stream.fileno())
    except OSError:  # some terminals, for example in editors, report no size
        itself = os.terminal_size((0, 0))
    return shutil.get_terminal_size(itself).columns or _USUAL


def print_lines(lines: Iterable[str], *, stderr: bool = False, paint: Callable[[str], str] = str) -> None:
    """Print lines, wrapped if they are wider than the terminal.

    Args:
        lines: The lines, not wrapped yet.
        stderr: Whether to print to standard error.
        paint: Adds colours to a line, without changing its width.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = width_of(stream)
    for line in lines:
        first, *others = [line] if width is None else broken(line, width)
        stream.writelines(f"{part}\n" for part in (paint(first), *others))


def broken(line: str, width: int) -> list[str]:
    """Return a line wrapped to a width in columns; continuation lines are indented below its text.

    If possible, a line is broken at wide gaps, and never between a number and its unit. A word is divided only if it
    is wider than ``width``.
    """
    line = line.rstrip(" ")
    cell_len, chop_cells = _cells(line)
    hang = _hang(line, width)
    done: list[str] = []
    now = ""
    for gap, part in _parts(line):
        whole = cell_len(now + gap + part) <= width
        below = cell_len(now + gap) > hang and hang + cell_len(part) <= width
        for place, word in enumerate([part] if whole or below else _words(part, width)):
            before = " " if place else gap
            if cell_len(now + before + word) <= width:
                now += before + word
                continue
            if now.strip():
                done.append(now)
            *full, rest = chop_cells(word, width) or [word]  # zero-width text cannot be divided
            done += full
            now = " " * (0 if full else min(hang, width - cell_len(rest))) + rest
    return [*done, now]


def _cells(text: str) -> tuple[Callable[[str], int], Callable[[str, int], list[str]]]:
    """Return two functions for the characters of a text: one returns a word's width, one cuts a word into pieces."""
    if text.isascii():
        return len, lambda word, width: [word[start : start + width] for start in range(0, len(word), width)]
    from rich.cells import cell_len, chop_cells  # noqa: PLC0415 - few texts contain wide characters

    return cell_len, chop_cells


def _hang(line: str, width: int) -> int:
    """Return the indent of a line's continuation lines, which is at most half of the width."""
    label = _LABEL.match(line)
    assert label
    indent = len(line) - len(line.lstrip(" "))
    places = (label.end(), label.end("numbers"), indent + 2)
    return next((each for each in places if each > indent and 2 * each <= width), 0)


def _parts(line: str) -> Iterator[tuple[str, str]]:
    """Split a line at wide gaps, and yield each part with the gap before it."""
    text = line.lstrip(" ")
    first, *others = _GAP.split(text)
    yield " " * (len(line) - len(text)), first
    yield from zip(others[::2], others[1::2], strict=True)


def _words(text: str, width: int) -> list[str]:
    """Return the pieces of a text between which it may be wrapped: words, or numbers with their units."""
    cell_len, _ = _cells(text)
    words: list[str] = []
    for word in text.split(" "):
        unit = words and _NUMBER.search(words[-1]) and not word[:1].isdigit()
        held = words and (word == "=" or words[-1].endswith(_HELD))
        if (unit or held) and cell_len(f"{words[-1]} {word}") <= width:
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words
