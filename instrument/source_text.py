"""The text of a source that the compiler proper would see."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from .compiler import Argument, CompilerCommand, Role
from .compiler_calls import Finished, run
from .dependencies import dependency_words
from .line_markers import with_plain_markers

__all__ = ["SourceTexts"]


class SourceTexts:
    """Read the sources of a command, by the preprocessor where the compiler would.

    Args:
        command: The user's command.
    """

    def __init__(self, command: CompilerCommand) -> None:
        self._command = command

    def read(self, source: Argument) -> Finished:
        """Read one source; the preprocessor of C and C++ writes the dependencies, too.

        Comments go: those of system headers are most of the text. They stay in C where the compiler warns of cases
        that fall through, for some say to it that this is meant.
        """
        if source.is_fortran:
            return self._fortran(source) if self._command.preprocesses(source) else _read(source)
        if source.is_preprocessed:
            return _read(source)
        options = self._command.of(Role.BOTH)
        comments = not source.is_cxx and any(map(_heeds_comments, options))
        return self._preprocessed(source, [*(["-C"] if comments else []), *self.dependency_words(source)])

    def _fortran(self, source: Argument) -> Finished:
        compiler = self._command.fortran
        if not compiler.preprocess:
            return Finished(1, b"", b"the compiler is not known to preprocess Fortran to standard output\n")
        done = self._preprocessed(source, list(compiler.preprocess))
        return done._replace(output=with_plain_markers(done.output)) if compiler.rewraps else done

    def dependency_words(self, source: Argument) -> list[str]:
        """Give what the preprocessor is told of dependency files."""
        return [*self._command.of(Role.DEPENDENCY), *self._dependency_words.get(source, [])]

    @cached_property
    def _dependency_words(self) -> dict[Argument, list[str]]:
        return dependency_words(self._command)

    def _preprocessed(self, source: Argument, extra: list[str]) -> Finished:
        words = [*self._command.compiler, "-E", *self._command.of(Role.PREPROCESS, Role.BOTH), *extra]
        language = ["-x", source.language] if source.language else []
        return run([*words, *language, *source.words], output=True, messages=True)


def _heeds_comments(option: str) -> bool:
    return option in {"-W", "-Wextra"} or option.startswith("-Wimplicit-fallthrough")


def _read(source: Argument) -> Finished:
    try:
        return Finished(0, Path(source.words[0]).read_bytes(), b"")
    except OSError:
        return Finished(1, b"", b"")  # the compiler says why
