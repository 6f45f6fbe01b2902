"""The calls of the real compiler: where its headers are, preprocess a source, compile what came of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from .compiler import Argument, CompilerCommand, Role, no_compiler

__all__ = [
    "USUAL_DIRECTORIES",
    "Finished",
    "Headers",
    "compile_words",
    "preprocess",
    "read",
    "run",
    "syntax_words",
    "untouched_words",
]

_SEARCH_LIST: Final = "search starts here:"
_SEARCH_END: Final = "End of search list."
USUAL_DIRECTORIES: Final = ("/usr/include/", "/usr/lib/", "/usr/local/include/")


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
    """Ask a compiler for its own header directories, while something else is done.

    Args:
        compiler: The compiler.
        language: Which of its languages, as ``-x`` knows it.
    """

    def __init__(self, compiler: list[str], language: str = "c") -> None:
        try:
            self._query = subprocess.Popen(
                [*compiler, "-E", "-v", "-x", language, os.devnull],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C"},
            )
        except OSError as error:
            raise no_compiler(compiler[0], error) from None
        self._directories: tuple[str, ...] | None = None

    def directories(self) -> tuple[str, ...]:
        """Give the directories, each with a closing slash; the usual ones if the compiler names none."""
        if self._directories is None:
            text = os.fsdecode(self._query.communicate()[1])
            listed = text.partition(_SEARCH_LIST)[2].partition(_SEARCH_END)[0].splitlines()
            found = {line.strip().rstrip("/") + "/" for line in listed if line.startswith(" ")}
            self._directories = tuple(sorted(found)) or USUAL_DIRECTORIES
        return self._directories


def preprocess(command: CompilerCommand, source: Argument, extra: list[str]) -> Finished:
    """Run the preprocessor on one source of a command.

    Args:
        command: The user's command.
        source: The source, one of the command's.
        extra: Further words.
    """
    words = [*command.compiler, "-E", *command.of(Role.PREPROCESS, Role.BOTH), *extra]
    language = ["-x", source.language] if source.language else []
    return run([*words, *language, *source.words], output=True, messages=True)


def read(path: str) -> Finished:
    """Read a source that no preprocessor need see."""
    try:
        return Finished(0, Path(path).read_bytes(), b"")
    except OSError:
        return Finished(1, b"", b"")  # the compiler says why


def compile_words(command: CompilerCommand, instrumented: dict[Argument, str]) -> list[str]:
    """Give the user's command with instrumented text in the place of sources.

    What only the preprocessor needs is left out, for it has done its work and some compilers complain of it; it
    stays if a source goes in as it is, or is Fortran, whose modules are found by ``-I``.

    Args:
        command: The user's command.
        instrumented: The text in place of each source that has one.
    """
    left_out = {Role.DEPENDENCY, Role.LANGUAGE, Role.CPP}
    if all(source in instrumented and not source.is_fortran for source in command.sources):
        left_out.add(Role.PREPROCESS)
    words = list(command.compiler)
    language = ""
    for argument in command.arguments:
        if argument.role in {Role.SOURCE, Role.INPUT}:
            wanted = (
                _instrumented_language(command, argument) if argument in instrumented else _language(command, argument)
            )
            words += ["-x", wanted or "none"] if wanted != language else []
            words += [instrumented[argument]] if argument in instrumented else argument.words
            language = wanted
        elif argument.role is Role.MODULES:
            words.append("-I" + argument.words[-1].removeprefix("-J"))
        elif argument.role not in left_out and argument.words != ("-pipe",):  # the stub is no pipe
            words += argument.words
    return [*words, *(["-x", "none"] if language else [])]


def _instrumented_language(command: CompilerCommand, argument: Argument) -> str:
    """Say of preprocessed C that it is C where the compiler would take it for C++."""
    return "cpp-output" if command.is_cxx and not argument.is_cxx else ""


def _language(command: CompilerCommand, argument: Argument) -> str:
    """Say of an input that goes in as it is what it is, in the place of -cpp, which would hold for all."""
    if argument.is_fortran and command.of(Role.CPP):
        return argument.fortran_form + ("-cpp-input" if command.preprocesses(argument) else "")
    return argument.language


def syntax_words(command: CompilerCommand) -> list[str]:
    """Give the user's command without what comes after the compiler proper has read the sources."""
    arguments = [each.words for each in command.arguments if "-save-temps" not in each.words[0]]
    return [*command.compiler, *chain.from_iterable(arguments), "-fsyntax-only", "-w"]


def untouched_words(command: CompilerCommand) -> Iterator[list[str]]:
    """Give the user's command without outputs and dependencies, once a source where one ``-o`` cannot do for all."""
    for chosen in [None] if command.links else command.sources:
        left_out = {Role.DEPENDENCY, Role.OUTPUT} | ({Role.SOURCE, Role.INPUT, Role.LANGUAGE} if chosen else set())
        words = [*command.compiler, *command.of(*(role for role in Role if role not in left_out))]
        if chosen:
            words += [*(["-x", chosen.language] if chosen.language else []), *chosen.words]
        yield words
