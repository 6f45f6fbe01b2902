"""The calls of the real compiler: how one is made, and with which words instrumented text is compiled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from ..compiler_records import without_records
from .compiler import Argument, CompilerCommand, Role, no_compiler
from .compiler_options import BESIDES

__all__ = [
    "Finished",
    "compile_words",
    "module_calls",
    "run",
    "untouched_words",
]


_OF_ONE_SOURCE: Final = frozenset([Role.SOURCE, Role.INPUT, Role.LANGUAGE, Role.OUTPUT, Role.DEPENDENCY])
# The stub is no pipe, and what is written besides is the untouched command's.
_NOT_AGAIN: Final = ("-pipe", *BESIDES)


class Finished(NamedTuple):
    """A call that has ended: a shell's status, and what was captured."""

    status: int
    output: bytes
    messages: bytes

    def reason(self, otherwise: str) -> str:
        """Give the line that says what is wrong; something else if nothing was said."""
        lines = os.fsdecode(self.messages).splitlines()
        return next((line for line in lines if "error" in line.lower()), lines[0] if lines else otherwise)


def run(
    words: list[str],
    *,
    output: bool = False,
    messages: bool = False,
    recorded: bool = False,
) -> Finished:
    """Call a compiler and wait; if that is broken off, the compiler gets the time to remove its own files.

    Args:
        words: The command.
        output: Whether standard output is captured.
        messages: Whether standard error is captured.
        recorded: Whether it writes what the environment asks each compile to write besides.

    Raises:
        UsageError: There is no such compiler.
    """
    try:
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE if output else None,
            stderr=subprocess.PIPE if messages else None,
            close_fds=False,  # a compiler may ask make for jobs, by descriptors that make has opened
            env=None if recorded else without_records(),
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


def compile_words(
    command: CompilerCommand, instrumented: dict[Argument, str], first: tuple[str, ...] = ()
) -> list[str]:
    """Give the user's command with instrumented text in the place of sources.

    What only the preprocessor needs is left out, for it has done its work and some compilers complain of it; it
    stays if a source goes in as it is, or is Fortran, whose modules are found by ``-I``.

    Args:
        command: The user's command.
        instrumented: The text in place of each source that has one.
        first: Options before the user's, which overrule them.
    """
    left_out = {Role.DEPENDENCY, Role.LANGUAGE, Role.CPP}
    if all(source in instrumented and not source.is_fortran for source in command.sources):
        left_out.add(Role.PREPROCESS)
    words = [*command.compiler, *first]
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
            words.append(f"-I{argument.module_folder}")
        elif argument.role not in left_out and not argument.words[0].startswith(_NOT_AGAIN):
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


def module_calls(command: CompilerCommand, folder: Path) -> Iterator[list[str]]:
    """Give calls that write the modules and dependencies of Fortran sources, and nothing else that lasts.

    Args:
        command: The user's command.
        folder: Where objects may be written, by compilers that know no other way.
    """
    arguments = [each for each in command.arguments if not each.words[0].startswith(BESIDES)]
    if check := command.fortran.check:
        words = chain.from_iterable(each.words for each in arguments)
        yield [*command.compiler, *words, *check, *command.fortran.quiet]
        return
    options = [word for each in arguments if each.role not in _OF_ONE_SOURCE for word in each.words]
    for number, source in enumerate(command.sources):
        yield [*command.compiler, *options, "-c", *source.words, "-o", str(folder / f"unused-{number}.o")]


def untouched_words(command: CompilerCommand) -> Iterator[list[str]]:
    """Give the user's command without outputs and dependencies, once a source where one ``-o`` cannot do for all."""
    for chosen in [None] if command.links else command.sources:
        left_out = {Role.DEPENDENCY, Role.OUTPUT} | ({Role.SOURCE, Role.INPUT, Role.LANGUAGE} if chosen else set())
        words = [*command.compiler, *command.of(*(role for role in Role if role not in left_out))]
        if chosen:
            words += [*(["-x", chosen.language] if chosen.language else []), *chosen.words]
        yield words
