"""INCLUDE lines replaced by the files that they name, with line markers around."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..line_markers import quoted_name

__all__ = ["expand"]

_INCLUDE: Final = re.compile(r"\s*include\s*(['\"])([^'\"]+)\1\s*(?:!.*)?$", re.I)
_MARKER: Final = re.compile(r'#\s*(?:line\s+)?(\d+)\s*"((?:\\.|[^"\\])*)"')
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+\Z")
_DEEPEST: Final = 20


def expand(text: str, source: str, directories: Sequence[str]) -> str:
    """Give the text with every file in it that an INCLUDE line names and that is found.

    Code regions, and the declarations that tell a statement function from an assignment, may stand there.

    Args:
        text: A source, line markers included, each byte a character.
        source: The file's name.
        directories: Where included files are looked for, in order.
    """
    if not re.search(r"include", text, re.I):
        return text
    return "".join(_expanded(text, quoted_name(source), directories, 1))


def _expanded(text: str, name: str, directories: Sequence[str], depth: int) -> Iterator[str]:
    number = 0
    for line in _LINE.findall(text):
        number += 1
        if marker := _MARKER.match(line):
            number, name = int(marker.group(1)) - 1, marker.group(2)
        included = _included(line, directories) if depth < _DEEPEST else None
        if included is None:
            yield line
        else:
            file, content = included
            quoted = quoted_name(file)
            yield f'# 1 "{quoted}" 1\n'
            yield from _expanded(content, quoted, directories, depth + 1)
            yield f'# {number + 1} "{name}" 2\n'


def _included(line: str, directories: Sequence[str]) -> tuple[str, str] | None:
    """The file that a line includes, and its text ending with a newline; None if it is no such line or file."""
    match = _INCLUDE.match(line.rstrip("\r\n"))
    if not match:
        return None
    wanted = os.fsdecode(match.group(2).encode("latin-1"))
    for directory in directories:
        path = os.path.join(directory, wanted) if directory not in {"", "."} else wanted  # noqa: PTH118 - as written
        try:
            content = Path(path).read_bytes().decode("latin-1")
        except OSError:
            continue
        return os.fsencode(path).decode("latin-1"), content if content.endswith("\n") else f"{content}\n"
    return None
