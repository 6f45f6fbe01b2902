"""Dependency files as the untouched compile would name them."""

from __future__ import annotations

import os
import shlex
from itertools import pairwise
from typing import Final

from .compiler import Argument, CompilerCommand
from .steps import run

__all__ = ["dependency_words"]

_WRITES: Final = frozenset(["-MD", "-MMD"])
_FILE_OPTIONS: Final = frozenset(["-MD", "-MMD", "-dependency-file"])
_TARGET_OPTIONS: Final = frozenset(["-MT", "-MQ"])


def dependency_words(command: CompilerCommand) -> dict[Argument, list[str]]:
    """Give for each source the words that make the preprocessor write the dependencies of the whole compile.

    Where they go, and to what target, follows from ``-o``, the number of sources and the compiler's version: the
    compiler is asked what it would do (``-###``).
    """
    options = [argument.words[0] for argument in command.arguments]
    if _WRITES.isdisjoint(options):
        return {}
    asked = run([*command.words, "-###"], output=True, messages=True)
    calls = [_words(line) for line in os.fsdecode(asked.messages).splitlines() if line.startswith(" ")]
    has_target = any(option.startswith(tuple(_TARGET_OPTIONS)) for option in options)
    return {
        source: _options(call, with_target=not has_target)
        for source in command.sources
        for call in calls
        if source.words[0] in call and not _FILE_OPTIONS.isdisjoint(call)
    }


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _options(call: list[str], *, with_target: bool) -> list[str]:
    words: list[str] = []
    for option, value in pairwise(call):
        if option in _FILE_OPTIONS:
            words += ["-MF", value]
        elif option in _TARGET_OPTIONS and with_target:
            words += [option, value]
    return words
