"""A preprocessed source in, the same source with probes out."""

from __future__ import annotations

import os
from typing import Final

from ..code_region import CodeRegions, Instrumented
from ..plan import Plan
from .insert import insert_guards
from .preprocessed import Preprocessed
from .regions import find_regions

__all__ = ["code_regions", "instrument_text"]

_NO_PLAN: Final = Plan()


def instrument_text(
    text: bytes, source: str, system_directories: tuple[str, ...], *, openmp: bool = False, plan: Plan = _NO_PLAN
) -> Instrumented:
    """Instrument what the preprocessor wrote.

    Args:
        text: The preprocessor's output, line markers included.
        source: The file that was preprocessed, as the compiler was given it.
        system_directories: Directories of headers that are not the user's, each with a closing slash.
        openmp: Whether OpenMP's constructs are regions.
        plan: What is left out.

    Raises:
        SourceError: The text cannot be read.
    """
    unit = _unit(text, source, system_directories)
    found = plan.applied(find_regions(unit, openmp=openmp))
    return Instrumented(insert_guards(unit, found.regions).encode("latin-1"), found)


def code_regions(
    text: bytes, source: str, system_directories: tuple[str, ...], *, openmp: bool = False, plan: Plan = _NO_PLAN
) -> CodeRegions:
    """Find the regions in what the preprocessor wrote; arguments and errors as for ``instrument_text``."""
    return plan.applied(find_regions(_unit(text, source, system_directories), openmp=openmp))


def _unit(text: bytes, source: str, system_directories: tuple[str, ...]) -> Preprocessed:
    return Preprocessed(text.decode("latin-1"), os.fsencode(source).decode("latin-1"), system_directories)
