"""Find the module files that a Fortran source reads and writes, by searching its text for words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .compiler import CompilerCommand, Role
from .expression import expression

__all__ = ["included_files", "module_files_read", "modules_written", "writes_modules"]

_INCLUDE: Final = expression(rb"^[ \t\d]*include[ \t]*(['\"])(.+?)\1", re.I | re.M)
_CONTINUED: Final = expression(rb"\n {5}[^ 0\n]")  # a continuation line in fixed form
_BLANKS: Final = b" \t\r\n&"
_LINE: Final = rb"^(?:\xef\xbb\xbf)?[ \t\f\d]*"  # the start of a line, perhaps after UTF-8's byte order mark
_BEGIN: Final = expression(_LINE + rb"module[ \t]*(\w+)[ \t]*(?:!.*)?\r?$", re.I | re.M)
# MODULE PROCEDURE with a name after it begins no module, but a module may be named PROCEDURES.
_MODULE: Final = expression(
    rb"(?:" + _LINE + rb"|;[ \t]*)(?:module(?![ \t]*procedure(?:[ \t]+\w|[ \t]*(?:::|&)))|submodule)", re.I | re.M
)


def modules_written(text: bytes) -> list[str] | None:
    """Return the file names, without suffix, of the modules that a source defines, or None if some are unclear."""
    found = [match[1].decode("latin-1").lower() for match in _BEGIN.finditer(text)]
    return found if len(found) == len(_MODULE.findall(text)) else None


def writes_modules(text: bytes) -> bool:
    """Return whether a source defines modules or submodules."""
    return bool(_MODULE.search(text))


def module_files_read(command: CompilerCommand, text: bytes) -> list[Path]:
    """Return the module files in the compiler's search folders whose names occur in a text, even by chance."""
    folded = _CONTINUED.sub(b"", text).translate(None, _BLANKS).lower()
    return [
        path
        for folder in _folders(command)
        for path in sorted(folder.glob("*.*mod"))
        if path.stem.partition("@")[0].encode().lower() in folded
    ]


def included_files(command: CompilerCommand, text: bytes, source: str) -> Iterator[Path]:
    """Yield the files that INCLUDE lines name, recursively, except the compiler's own."""
    folders = [Path(source).parent, *_folders(command)]
    seen = set()
    waiting = [text]
    while waiting:
        for match in _INCLUDE.finditer(waiting.pop()):
            name = match[2].decode("utf-8", "surrogateescape")
            path = next((folder / name for folder in folders if (folder / name).is_file()), None)
            if path and path not in seen:
                seen.add(path)
                waiting.append(path.read_bytes())
                yield path


def _folders(command: CompilerCommand) -> list[Path]:
    given = [
        argument.module_folder if argument.role is Role.MODULES else _included(argument.words)
        for argument in command.arguments
        if argument.role is Role.MODULES or argument.words[0].startswith("-I")
    ]
    return [Path(), *map(Path, given)]


def _included(words: tuple[str, ...]) -> str:
    return words[1] if len(words) > 1 else words[0].removeprefix("-I")
