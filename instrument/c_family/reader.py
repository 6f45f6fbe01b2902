"""Read C and C++ with libclang, or C with pycparser if libclang cannot be loaded."""

from __future__ import annotations

import os
from typing import Final

from ...errors import InputError
from ..syntax import Syntax
from .preprocessed import Preprocessed

__all__ = ["READER_VARIABLE", "c_reader", "read", "why_no_libclang"]

READER_VARIABLE: Final = "AUTOANALYZER_C_READER"
_LIBCLANG, _PYCPARSER = "libclang", "pycparser"


def read(unit: Preprocessed, flags: tuple[str, ...], *, cxx: bool, calls: bool) -> Syntax:
    """Return the syntax of a translation unit.

    Args:
        unit: The preprocessed text.
        flags: Compiler options that select the dialect of C or C++.
        cxx: Whether the text is C++, which only libclang reads.
        calls: Whether library calls are requested.

    Raises:
        UnreadError: The parser does not understand text outside of functions.
        InputError: The parser cannot be loaded, or the environment variable names no parser.
    """
    if not cxx and c_reader() == _PYCPARSER:
        from .pycparser.tree import read_by_pycparser  # noqa: PLC0415 - seldom needed

        return read_by_pycparser(unit, calls=calls)
    if problem := why_no_libclang():
        raise InputError(f"libclang, which parses C and C++, cannot be loaded: {problem}")
    from .clang.bodies import read_by_clang  # noqa: PLC0415 - it may be missing

    return read_by_clang(unit, flags, "c++" if cxx else "c")


def c_reader() -> str:
    """Return the name of the parser for C: ``libclang`` or ``pycparser``.

    Raises:
        InputError: The environment variable names neither parser.
    """
    wanted = os.environ.get(READER_VARIABLE, "")
    if wanted not in {"", _LIBCLANG, _PYCPARSER}:
        raise InputError(f"{READER_VARIABLE}: expected {_LIBCLANG} or {_PYCPARSER}, found {wanted!r}")
    return wanted or (_PYCPARSER if why_no_libclang() else _LIBCLANG)


def why_no_libclang() -> str:
    """Return why libclang cannot be loaded, or an empty string if it can."""
    try:
        from .clang import library  # noqa: F401, PLC0415 - loading it is the test
    except (ImportError, OSError, AttributeError) as error:
        return str(error)
    return ""
