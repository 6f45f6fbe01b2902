"""Describe the line layout of a Fortran source, which only its name and the compiler's options determine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

__all__ = ["Form"]

# GNU's options for the properties of a form other than line layout.
_OTHERS: Final = {
    "openmp": "-fopenmp-simd",
    "threads": "-fopenmp",
    "openacc": "-fopenacc",
    "debug_lines": "-fd-lines-as-code",
    "backslash": "-fbackslash",
}
_LINE_LENGTH: Final = re.compile(r"-f(?:fixed|free)-line-length-(\d+)")


class Form(NamedTuple):
    r"""The form of a source, from its name and the compiler's flags.

    Attributes:
        fixed: Whether the form is fixed, with labels in columns 1 to 5 and continuation marks in column 6.
        line_length: Number of significant characters per line; 0 for all.
        openmp: Whether OpenMP directives, and lines that begin with ``!$``, are code.
        threads: Whether OpenMP creates threads, so that its constructs are regions.
        openacc: Whether OpenACC directives are code.
        debug_lines: Whether lines of fixed form with ``D`` in column 1 are code.
        backslash: Whether ``\`` in a literal begins an escape sequence, so that ``\\`` is one character.
    """

    fixed: bool
    line_length: int = 0
    openmp: bool = False
    threads: bool = False
    openacc: bool = False
    debug_lines: bool = False
    backslash: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The options of GNU's compiler that select this form; ``of`` is the inverse."""
        return tuple(self._options())

    def _options(self) -> Iterator[str]:
        kind = "fixed" if self.fixed else "free"
        yield from (f"-f{kind}-form", f"-f{kind}-line-length-{self.line_length}")
        yield from (option for name, option in _OTHERS.items() if getattr(self, name))

    @classmethod
    def of(cls, options: Iterable[str]) -> Form:
        """Return the form that options of GNU's compiler select; options for other purposes are ignored."""
        given = {*options}
        lengths = (int(match[1]) for each in given if (match := _LINE_LENGTH.fullmatch(each)))
        others = {name: option in given for name, option in _OTHERS.items()}
        return cls("-ffixed-form" in given, next(lengths, 0), **others)
