"""Recognise input and output by C functions, stream methods and stream operators."""

from __future__ import annotations

from typing import Final

from ..expression import Expression, Name
from ..nest import InputOutput
from .functions import INPUT_OUTPUT
from .library import Place

__all__ = ["by_function", "by_method", "by_operator", "flushed"]

_MOVING: Final = {"flush": "flush", "close": "close", "open": "open", "seekg": "rewind", "seekp": "rewind"}


def by_function(name: str, arguments: tuple[Expression, ...], place: Place) -> InputOutput | None:
    """Return the I/O statement for a call to a C function; None if the function performs no I/O."""
    if name not in INPUT_OUTPUT:
        return None
    action, is_formatted, at = INPUT_OUTPUT[name]
    if at is not None and not arguments:
        return None
    unit = None if at is None else arguments[min(at, len(arguments) - 1)]
    if name in ("fprintf", "fputs") and unit == Name("stdout"):
        unit = None
    return InputOutput(action, unit, arguments, is_formatted, name, line=place.line, column=place.column)


def by_method(
    name: str, unit: Expression | None, arguments: tuple[Expression, ...], place: Place
) -> InputOutput | None:
    """Return the I/O statement for a call to a stream's method; None if the method performs no I/O."""
    action = _MOVING.get(name)
    if action is None and name.startswith(("read", "get")):
        action = "read"
    elif action is None and name in ("write", "put"):
        action = "write"
    if action is None:
        return None
    return InputOutput(action, unit, arguments, False, name, line=place.line, column=place.column)


def by_operator(name: str, unit: Expression, values: tuple[Expression, ...], place: Place) -> InputOutput:
    """Return the I/O statement for ``operator<<`` (output) or ``operator>>`` (input)."""
    action = "write" if name == "operator<<" else "read"
    return InputOutput(action, unit, values, True, name, line=place.line, column=place.column)


def flushed(unit: Expression, place: Place) -> InputOutput:
    """Return the I/O statement for the flush that ``std::endl`` causes."""
    return InputOutput("flush", unit, (), False, "std::endl", line=place.line, column=place.column)
