"""What the standard that a source is compiled by allows a guard."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["guards_are_literal"]

_LITERAL: Final = re.compile(r"-std=(?:gnu|c)\+\+2\w")


def guards_are_literal(flags: Iterable[str]) -> bool:
    """Tell whether guards may be in what compilers run: from C++20 on, where a destructor may be ``constexpr``.

    Args:
        flags: Compiler options that decide what is C++; without a standard it is taken for an earlier one.
    """
    standards = [flag for flag in flags if flag.startswith("-std=")]
    return bool(standards and _LITERAL.fullmatch(standards[-1]))
