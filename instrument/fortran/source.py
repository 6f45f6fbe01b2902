"""A Fortran source in, the same source with probes out."""

from __future__ import annotations

from collections.abc import Sequence

from ..code_region import CodeRegions, Instrumented
from .form import Form

__all__ = ["code_regions", "instrument_text"]


def instrument_text(text: bytes, source: str, form: Form, include_directories: Sequence[str] = ()) -> Instrumented:
    """Instrument a Fortran source.

    Args:
        text: The source, or what the preprocessor wrote of it, line markers included.
        source: The file's name, as the compiler was given it.
        form: How its lines are laid out.
        include_directories: Where INCLUDE lines look, in order; a file that is found nowhere is the compiler's matter.

    Raises:
        SourceError: The text cannot be read, or holds what no probe can be put into.
    """
    return Instrumented(text, code_regions(text, source, form, include_directories))


def code_regions(text: bytes, source: str, form: Form, include_directories: Sequence[str] = ()) -> CodeRegions:
    """Find the regions of a Fortran source; arguments and errors as for ``instrument_text``."""
    return CodeRegions(())
