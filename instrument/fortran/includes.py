"""INCLUDE lines replaced by the files that they name, with line markers around."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..expression import expression
from ..line_markers import quoted_name
from .lines import LINE

__all__ = ["BYTE_ORDER_MARK", "expand"]

BYTE_ORDER_MARK: Final = "\xef\xbb\xbf"  # of UTF-8, each byte a character

_INCLUDE_OPENMP: Final = expression(r"(?:\s*!\$|[cC*]\$)?\s*include\s*(['\"])([^'\"]+)\1\s*(?:!.*)?$", re.I)
_INCLUDE: Final = expression(r"\s*include\s*(['\"])([^'\"]+)\1\s*(?:!.*)?$", re.I)
_MARKER: Final = expression(r'#\s*(?:line\s+)?(\d+)\s*"((?:\\.|[^"\\])*)"')


def expand(text: str, source: str, directories: Sequence[str], *, openmp: bool = False) -> str:
    """Give the text with every file in it that an INCLUDE line names and that is found.

    Code regions, and the declarations that tell a statement function from an assignment, may stand there.

    Args:
        text: A source, line markers included, each byte a character.
        source: The file's name.
        directories: Where included files are looked for, in order.
        openmp: Whether ``!$`` lines are code.
    """
    if not re.search(r"include", text, re.I):
        return text
    return "".join(_expanded(text, quoted_name(source), directories, _INCLUDE_OPENMP if openmp else _INCLUDE, ()))


def _expanded(
    text: str, name: str, directories: Sequence[str], include: re.Pattern[str], around: tuple[str, ...]
) -> Iterator[str]:
    number = 0
    for line in LINE.findall(text):
        number += 1
        if marker := _MARKER.match(line):
            number, name = int(marker.group(1)) - 1, marker.group(2)
        match = include.match(line.rstrip("\r\n"))
        file, content = _found(match.group(2), directories) if match else ("", "")
        if not file or file in around:
            yield line
        else:
            quoted = quoted_name(file)
            yield f'# 1 "{quoted}" 1\n'
            yield from _expanded(content, quoted, directories, include, (*around, file))
            yield f'# {number + 1} "{name}" 2\n'


def _found(name: str, directories: Sequence[str]) -> tuple[str, str]:
    """Give the file that an INCLUDE line names, and its text ending with a newline; both empty if there is none."""
    wanted = os.fsdecode(name.encode("latin-1"))
    for directory in directories:
        path = os.path.join(directory, wanted) if directory not in {"", "."} else wanted  # noqa: PTH118 - as written
        try:
            content = Path(path).read_bytes().decode("latin-1").removeprefix(BYTE_ORDER_MARK)
        except OSError:
            continue
        return os.fsencode(path).decode("latin-1"), content if content.endswith("\n") else f"{content}\n"
    return "", ""
