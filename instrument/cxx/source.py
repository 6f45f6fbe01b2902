"""A preprocessed source in, the same source with probes out."""

from __future__ import annotations

import os

from ..c.insert import insert_guards
from ..c.preprocessed import Preprocessed
from ..choice import DEFAULT_CHOICE, Choice
from ..code_region import CodeRegions, Instrumented
from .regions import find_regions
from .standard import guards_are_literal

__all__ = ["code_regions", "instrument_text"]


def instrument_text(
    text: bytes,
    source: str,
    system_directories: tuple[str, ...],
    flags: tuple[str, ...],
    *,
    openmp: bool = False,
    choice: Choice = DEFAULT_CHOICE,
) -> Instrumented:
    """Instrument what the preprocessor wrote.

    Args:
        text: The preprocessor's output, line markers included.
        source: The file that was preprocessed, as the compiler was given it.
        system_directories: Directories of headers that are not the user's, each with a closing slash.
        flags: Compiler options that decide what is C++.
        openmp: Whether OpenMP's constructs are regions.
        choice: Which regions are wanted.

    Raises:
        SourceError: The text cannot be read.
    """
    unit = _unit(text, source, system_directories)
    found = choice.applied(find_regions(unit, flags, choice, openmp=openmp))
    instrumented = insert_guards(unit, found.regions, cxx=True, constexpr=guards_are_literal(flags))
    return Instrumented(instrumented.encode("latin-1"), found)


def code_regions(
    text: bytes,
    source: str,
    system_directories: tuple[str, ...],
    flags: tuple[str, ...],
    *,
    openmp: bool = False,
    choice: Choice = DEFAULT_CHOICE,
) -> CodeRegions:
    """Find the regions in what the preprocessor wrote; arguments and errors as for ``instrument_text``."""
    unit = _unit(text, source, system_directories)
    return choice.applied(find_regions(unit, flags, choice, openmp=openmp))


def _unit(text: bytes, source: str, system_directories: tuple[str, ...]) -> Preprocessed:
    return Preprocessed(text.decode("latin-1"), os.fsencode(source).decode("latin-1"), system_directories)
