"""How the lines of a Fortran source are laid out, which no source says itself."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Form"]


class Form(NamedTuple):
    r"""The form of a source, from its name and the compiler's flags.

    Attributes:
        fixed: Whether columns 1 to 6 have a meaning of their own.
        line_length: Characters of a line that count; 0 for all.
        openmp: Whether OpenMP directives, and lines that begin with ``!$``, are code.
        threads: Whether OpenMP makes threads, so that its constructs are regions.
        openacc: Whether OpenACC directives are code.
        debug_lines: Whether lines of fixed form with ``D`` in column 1 are code.
        backslash: Whether ``\`` in a literal begins an escape sequence; two of them are one character.
    """

    fixed: bool
    line_length: int = 0
    openmp: bool = False
    threads: bool = False
    openacc: bool = False
    debug_lines: bool = False
    backslash: bool = False
