"""Read the text of a source as the compiler would see it after preprocessing."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final

from ..compiler_records import recording
from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import Finished, run
from .dependencies import dependency_file, dependency_words
from .expression import expression
from .line_markers import with_plain_markers

__all__ = ["SourceTexts"]

_HANDED_ON: Final = "-Wp,"
_NEXT_OPTION: Final = expression(r",(?=-\w)")


class SourceTexts:
    """Reads the sources of a command, preprocessed if the compiler would preprocess them.

    Args:
        command: The user's command.
        compiles: Whether the command is carried out. If it is, reading C and C++ also writes dependencies, and extra
            files that environment variables request.
    """

    def __init__(self, command: CompilerCommand, *, compiles: bool = False) -> None:
        self._command = command
        self._compiles = compiles

    def read(self, source: Argument) -> Finished:
        """Return the text of one source, and the preprocessor's status and messages.

        Comments are removed, because comments in system headers are most of the text. In C, they are kept if the
        compiler warns about fall-through cases, because some comments declare that these are intended.
        """
        if source.is_fortran:
            return self._fortran(source) if self._command.preprocesses(source) else _read(source)
        if source.is_preprocessed:
            if self._compiles and recording():
                self._write_apart(source, [])
            return _read(source)
        options = self._command.of(Role.BOTH)
        comments = not source.is_cxx and any(map(_heeds_comments, options))
        kept = ["-C"] if comments else []
        words = self.dependency_words(source)
        if _is_stream(dependency_file(words)):
            self._write_apart(source, words)
            return self._preprocessed(source, kept, recorded=False)
        return self._preprocessed(source, [*kept, *words])

    def _fortran(self, source: Argument) -> Finished:
        compiler = self._command.fortran
        if not compiler.preprocess:
            return Finished(1, b"", b"the compiler is not known to preprocess Fortran to standard output\n")
        handed_on = chain.from_iterable(map(_besides_dependencies, self._command.of(Role.DEPENDENCY)))
        done = self._preprocessed(source, [*compiler.preprocess, *handed_on])
        return done._replace(output=with_plain_markers(done.output)) if compiler.rewraps else done

    def dependency_words(self, source: Argument) -> list[str]:
        """Return the preprocessor's options for dependency files."""
        if not self._compiles:
            return []
        return [*self._command.of(Role.DEPENDENCY), *self._dependency_words.get(source, [])]

    @cached_property
    def _dependency_words(self) -> dict[Argument, list[str]]:
        return dependency_words(self._command)

    def _preprocessed(self, source: Argument, extra: list[str], *, recorded: bool = True) -> Finished:
        words = self._words(source, ["-E", *extra])
        return run(words, output=True, messages=True, recorded=recorded and self._compiles)

    def _write_apart(self, source: Argument, dependencies: list[str]) -> None:
        """Let the compiler write dependencies and further requested files, but not the text, in a separate call."""
        run(self._words(source, ["-fsyntax-only", *self._command.quiet, *dependencies]), messages=True, recorded=True)

    def _words(self, source: Argument, extra: list[str]) -> list[str]:
        language = ["-x", source.language] if source.language else []
        options = self._command.of(Role.PREPROCESS, Role.BOTH)
        return [*self._command.compiler, *options, *extra, *language, *source.words]


def _heeds_comments(option: str) -> bool:
    return option in {"-W", "-Wextra"} or option.startswith("-Wimplicit-fallthrough")


def _besides_dependencies(option: str) -> list[str]:
    """Return the options that a word such as ``-Wp,…`` passes to the preprocessor, without those for dependencies."""
    parts = _NEXT_OPTION.split(option.removeprefix(_HANDED_ON)) if option.startswith(_HANDED_ON) else []
    return [_HANDED_ON + part for part in parts if not part.startswith("-M")]


def _is_stream(name: str | None) -> bool:
    """Return whether writing to a file of this name may write to the stream with the preprocessor's text."""
    if not name:
        return False
    return name == "-" or (Path(name).exists() and not Path(name).is_file())


def _read(source: Argument) -> Finished:
    try:
        return Finished(0, Path(source.words[0]).read_bytes(), b"")
    except OSError:
        return Finished(1, b"", b"")  # the compiler reports the reason
