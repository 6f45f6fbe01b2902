"""Call the real compiler, and form the command lines that compile instrumented text."""

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
# Options to leave out: -pipe, because the assembler must read files, namely the compiler's output and the stub; and
# options for additional outputs, which the untouched command writes.
_NOT_AGAIN: Final = ("-pipe", *BESIDES)


class Finished(NamedTuple):
    """A finished call: the exit status as in a shell, and the captured standard output and standard error."""

    status: int
    output: bytes
    messages: bytes

    def reason(self, otherwise: str) -> str:
        """Return the line that explains the failure, or a default if nothing was printed."""
        lines = os.fsdecode(self.messages).splitlines()
        return next((line for line in lines if "error" in line.lower()), lines[0] if lines else otherwise)


def run(
    words: list[str],
    *,
    output: bool = False,
    messages: bool = False,
    recorded: bool = False,
) -> Finished:
    """Call a compiler, wait until it ends, and return the result; if interrupted, the compiler still removes its files.

    Args:
        words: The command.
        output: Whether to capture standard output.
        messages: Whether to capture standard error.
        recorded: Whether the compiler writes the extra files that environment variables request for each compile.

    Raises:
        UsageError: There is no such compiler.
    """
    try:
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE if output else None,
            stderr=subprocess.PIPE if messages else None,
            close_fds=False,  # make's job server uses file descriptors that make has opened
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
    """Return the user's command with instrumented text in place of sources.

    The preprocessor's options are left out, because some compilers warn about unused options. The options are kept if a
    source is compiled unchanged, or is Fortran, which finds modules by ``-I``.

    Args:
        command: The user's command.
        instrumented: Source → file with its instrumented text, for the sources that have one.
        first: Options to put before the user's options, so that the user's options override them.
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
    """Return the ``-x`` language for preprocessed C that the compiler would treat as C++, or else an empty string."""
    return "cpp-output" if command.is_cxx and not argument.is_cxx else ""


def _language(command: CompilerCommand, argument: Argument) -> str:
    """Return the ``-x`` language for an unchanged input; it replaces ``-cpp``, which would apply to all inputs."""
    if argument.is_fortran and command.of(Role.CPP):
        return argument.fortran_form + ("-cpp-input" if command.preprocesses(argument) else "")
    return argument.language


def module_calls(command: CompilerCommand, folder: Path) -> Iterator[list[str]]:
    """Yield command lines that only write the modules and dependencies of Fortran sources.

    Args:
        command: The user's command.
        folder: A folder for objects, for compilers that cannot avoid writing them.
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
    """Yield the user's command without outputs and dependencies; if it does not link, one command per source."""
    for chosen in [None] if command.links else command.sources:
        left_out = {Role.DEPENDENCY, Role.OUTPUT} | ({Role.SOURCE, Role.INPUT, Role.LANGUAGE} if chosen else set())
        words = [*command.compiler, *command.of(*(role for role in Role if role not in left_out))]
        if chosen:
            words += [*(["-x", chosen.language] if chosen.language else []), *chosen.words]
        yield words
