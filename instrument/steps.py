"""The calls of the real compiler: where its headers are, preprocess a source, compile what came of it."""

from __future__ import annotations

import os
import subprocess
from typing import Final, NamedTuple

from .compiler import Argument, CompilerCommand, Role, no_compiler

__all__ = ["Finished", "Headers", "compile_words", "preprocess", "run"]

_SEARCH_LIST: Final = "search starts here:"
_SEARCH_END: Final = "End of search list."
_USUAL: Final = ("/usr/include/", "/usr/lib/", "/usr/local/include/")


class Finished(NamedTuple):
    """A call that has ended: a shell's status, and what was captured."""

    status: int
    output: bytes
    messages: bytes


def run(words: list[str], *, output: bool = False, messages: bool = False) -> Finished:
    """Call a compiler and wait; if that is broken off, the compiler gets the time to remove its own files.

    Args:
        words: The command.
        output: Whether standard output is captured.
        messages: Whether standard error is captured.

    Raises:
        UsageError: There is no such compiler.
    """
    try:
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE if output else None,
            stderr=subprocess.PIPE if messages else None,
        )
    except OSError as error:
        raise no_compiler(words[0], error) from None
    try:
        captured = process.communicate()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    status = process.returncode
    return Finished(status if status >= 0 else 128 - status, captured[0] or b"", captured[1] or b"")


class Headers:
    """Ask a compiler for its own header directories, while something else is done."""

    def __init__(self, compiler: list[str]) -> None:
        self._query = subprocess.Popen(
            [*compiler, "-E", "-v", "-x", "c", os.devnull],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},
        )
        self._directories: tuple[str, ...] | None = None

    def directories(self) -> tuple[str, ...]:
        """Give the directories, each with a closing slash; the usual ones if the compiler names none."""
        if self._directories is None:
            text = os.fsdecode(self._query.communicate()[1])
            listed = text.partition(_SEARCH_LIST)[2].partition(_SEARCH_END)[0].splitlines()
            found = {line.strip().rstrip("/") + "/" for line in listed if line.startswith(" ")}
            self._directories = tuple(sorted(found)) or _USUAL
        return self._directories


def preprocess(command: CompilerCommand, source: Argument, extra: list[str]) -> Finished:
    """Run the preprocessor on one source of a command, comments kept.

    Comments stay because some say to the compiler that falling through a case is meant.

    Args:
        command: The user's command.
        source: The source, one of the command's.
        extra: Further words, as for dependencies and colours.
    """
    words = [*command.compiler, *command.of(Role.PREPROCESS, Role.BOTH, Role.DEPENDENCY), *extra, "-E", "-C"]
    language = ["-x", source.language] if source.language else []
    return run([*words, *language, *source.words], output=True, messages=True)


def compile_words(command: CompilerCommand, instrumented: dict[Argument, str], extra: list[str]) -> list[str]:
    """Give the user's command with instrumented text in the place of sources.

    What only the preprocessor needs is left out, for it has done its work and some compilers complain of it; it
    stays if a source goes in as it is.
    """
    as_it_is = any(source not in instrumented for source in command.sources)
    words = [*command.compiler, *extra]
    for argument in command.arguments:
        if argument in instrumented and argument.language:
            words += ["-x", "cpp-output", instrumented[argument], "-x", argument.language]
        elif argument in instrumented:
            words.append(instrumented[argument])
        elif argument.role is not Role.DEPENDENCY and (argument.role is not Role.PREPROCESS or as_it_is):
            words += argument.words
    return words
