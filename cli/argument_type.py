"""Adapt parsers of option values to ``argparse``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from ..errors import UsageError

__all__ = ["argument_type"]

_Value = TypeVar("_Value")


def argument_type(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a function that calls ``read`` and turns a ``UsageError`` into an error of ``argparse``.

    Unlike the ``UsageError``, the error of ``argparse`` names the option.
    """

    @wraps(read)
    def checked(text: str) -> _Value:
        try:
            return read(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked
