"""Write dependency files with the content that the untouched compile would write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from .compiler import Argument, CompilerCommand, Role, quoted_words
from .compiler_calls import run

__all__ = ["dependency_file", "dependency_words"]

_WRITES: Final = frozenset(["-MD", "-MMD"])
_FILE_OPTIONS: Final = frozenset(["-MD", "-MMD", "-dependency-file"])
_TARGET_OPTIONS: Final = ("-MT", "-MQ")
_WRITES_BELOW: Final = ("-Wp,-MD", "-Wp,-MMD")


def dependency_words(command: CompilerCommand) -> dict[Argument, list[str]]:
    """Map each source to the options with which the preprocessor writes the same dependencies as the whole compile.

    The names of the file and of the target depend on ``-o``, on the number of sources and on the compiler's version, so
    the compiler is queried with ``-###``.
    """
    options = command.of(Role.DEPENDENCY)
    writes = not _WRITES.isdisjoint(options)
    if not writes and not any(option.startswith(_WRITES_BELOW) for option in options):
        return {}
    wanted = [
        *(_FILE_OPTIONS if writes and not any(map(_names_file, options)) else []),
        *(_TARGET_OPTIONS if not any(option.startswith(_TARGET_OPTIONS) for option in options) else []),
    ]
    if not wanted:
        return {}
    handed_on = set(pairwise(_handed_on(command)))
    asked = run([*command.words, "-###"], output=True, messages=True)
    calls = [list(quoted_words(line)) for line in os.fsdecode(asked.messages).splitlines() if line.startswith(" ")]
    return {
        source: _options(call, wanted, handed_on)
        for source in command.sources
        for call in calls
        if source.words[0] in call and not _FILE_OPTIONS.isdisjoint(call)
    }


def dependency_file(words: list[str]) -> str | None:
    """Return the file into which the preprocessor writes dependencies, according to its options.

    Returns:
        The name of the file; empty if none is written, None if the name is unknown.
    """
    writes = not _WRITES.isdisjoint(words)
    below = [word.split(",")[2:] for word in words if word.startswith(_WRITES_BELOW)]
    others = any(word.startswith("-Wp,") for word in words) and not below
    if "-MG" in words or others or len(below) + writes > 1:
        return None
    if below:
        return below[0][0] if len(below[0]) == 1 else None
    named = [
        word.removeprefix("-MF") or following for word, following in pairwise([*words, ""]) if word.startswith("-MF")
    ]
    return (named[-1] if named else None) if writes else ""


def _names_file(option: str) -> bool:
    return option.startswith(("-MF", "-Wp,-MF,")) or ",-MF," in option


def _handed_on(command: CompilerCommand) -> Iterator[str]:
    """Yield the words that a driver passes unchanged to the preprocessor."""
    for argument in command.arguments:
        first, *others = argument.words
        if first.startswith("-Wp,"):
            yield from first.split(",")[1:]
        elif first == "-Xpreprocessor":
            yield from others


def _options(call: list[str], wanted: list[str], handed_on: set[tuple[str, str]]) -> list[str]:
    """Return the wanted options, with their values, from the call by which a driver runs the compiler proper.

    Args:
        call: The words of the call.
        wanted: The options to return, with their values.
        handed_on: Options and values to leave out, because the driver passes them to the preprocessor anyway.
    """
    words: list[str] = []
    for option, value in pairwise(call):
        if option in wanted and (option, value) not in handed_on:
            words += [option if option in _TARGET_OPTIONS else "-MF", value]
    return words
