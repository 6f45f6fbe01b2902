"""Sources read by name, for commands that look at them without compiling."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from .compiler import CompilerCommand
from .steps import Headers, preprocess

__all__ = ["Source", "preprocessed"]


class Source(NamedTuple):
    """A source after preprocessing; the arguments of ``instrument_text``."""

    text: bytes
    source: str
    system_directories: tuple[str, ...]


def preprocessed(compiler: list[str], sources: list[str], flags: list[str]) -> Iterator[Source]:
    """Preprocess C sources one by one.

    Args:
        compiler: The compiler command, with flags if need be.
        sources: Paths of C sources.
        flags: Compiler flags of the user: directories, macros, the language standard.

    Raises:
        InputError: A source does not exist, is no C, or the preprocessor rejects it.
    """
    headers = None
    for path in sources:
        if not Path(path).is_file():
            raise InputError(f"{path}: a C source wanted, found {'a folder' if Path(path).is_dir() else 'nothing'}")
        command = CompilerCommand([*compiler, *flags, path])
        if [path] not in [list(source.words) for source in command.sources]:
            raise InputError(f"{path}: a C source wanted (.c or .i), found another kind of file")
        headers = headers or Headers(command.compiler)
        done = preprocess(command, command.sources[-1], [])
        if done.status:
            raise InputError(f"{path}: the preprocessor rejects it: {_first_line(done.messages)}")
        yield Source(done.output, path, headers.directories())


def _first_line(messages: bytes) -> str:
    lines = os.fsdecode(messages).splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "no reason given")
