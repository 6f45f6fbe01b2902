"""Replace INCLUDE lines with the files that they name, between line markers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ...errors import SourceError
from ..expression import expression
from ..line_markers import quoted_name
from .form import Form
from .lines import LINE

__all__ = ["BYTE_ORDER_MARK", "expand"]

BYTE_ORDER_MARK: Final = "\xef\xbb\xbf"  # the three bytes of UTF-8's byte order mark, one character each

_MOST: Final = 64 << 20  # maximum size of a source in bytes, with all included files, which may include each other

_INCLUDE_OPENMP: Final = expression(r"(?:\s*!\$|[cC*]\$)?\s*include\s*(['\"])([^'\"]+)\1\s*(?:!.*)?$", re.I)
_INCLUDE: Final = expression(r"\s*include\s*(['\"])([^'\"]+)\1\s*(?:!.*)?$", re.I)
_MARKER: Final = expression(r'#\s*(?:line\s+)?(\d+)\s*"((?:\\.|[^"\\])*)"')


def expand(
    text: str,
    source: str,
    directories: Sequence[str],
    *,
    form: Form,
    prepared: Callable[[str, str], str] = lambda _file, content: content,
) -> str:
    """Return a text in which each INCLUDE line is replaced by the content of its file, if the file is found.

    Included files may contain code regions, and declarations that distinguish statement functions from assignments.

    Args:
        text: A source including line markers, one character per byte.
        source: Name of the source.
        directories: Folders to search for included files, in order.
        form: The form of the source.
        prepared: Takes name and text of an included file; returns the text that replaces the INCLUDE line, with the
            same number of lines as the file.

    Raises:
        SourceError: The result is too large, perhaps because files include each other.
    """
    if not re.search(r"include", text, re.I):
        return text
    lines, size = [], 0
    for line in _expanded(text, quoted_name(source), directories, form, (), prepared=prepared):
        lines.append(line)
        size += len(line)
        if size > _MOST:
            file = os.fsdecode(source.encode("latin-1"))
            raise SourceError(
                file, 1, 1, f"expected at most {_MOST >> 20} MiB, counting all included files, found more"
            )
    return "".join(lines)


def _expanded(
    text: str,
    name: str,
    directories: Sequence[str],
    form: Form,
    around: tuple[str, ...],
    *,
    prepared: Callable[[str, str], str],
) -> Iterator[str]:
    number = 0
    include = _INCLUDE_OPENMP if form.openmp else _INCLUDE
    for line in LINE.findall(text):
        number += 1
        if marker := _MARKER.match(line):
            number, name = int(marker.group(1)) - 1, marker.group(2)
        written = line.rstrip("\r\n")
        match = include.match(written[: form.line_length] if form.line_length else written)
        file, content = _found(match.group(2), directories) if match else ("", "")
        if not file or file in around:
            yield line
        else:
            quoted = quoted_name(file)
            yield f'# 1 "{quoted}" 1\n'
            inside = (*around, file)
            yield from _expanded(prepared(file, content), quoted, directories, form, inside, prepared=prepared)
            yield f'# {number + 1} "{name}" 2\n'


def _found(name: str, directories: Sequence[str]) -> tuple[str, str]:
    """Return the path and text of the file that an INCLUDE line names, or two empty strings if it is not found.

    The text ends with a newline. Special files, such as /dev/zero, count as not found, so they are left to the
    compiler.
    """
    wanted = os.fsdecode(name.encode("latin-1"))
    for directory in directories:
        path = os.path.join(directory, wanted) if directory not in {"", "."} else wanted  # noqa: PTH118 - as written
        try:
            if not Path(path).is_file():
                continue
            with open(path, "rb") as file:  # noqa: PTH123 - as written
                content = file.read(_MOST + 1).decode("latin-1").removeprefix(BYTE_ORDER_MARK)
        except (OSError, ValueError):
            continue
        return os.fsencode(path).decode("latin-1"), content if content.endswith("\n") else f"{content}\n"
    return "", ""
