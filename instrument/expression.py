"""Compile regular expressions on first use, because a front end has many, and most sources need few."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

__all__ = ["expression"]


def expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled when one of its methods is first used."""
    return cast("re.Pattern[AnyStr]", _Expression(pattern, flags))


class _Expression:
    def __init__(self, *words: Any) -> None:
        self._words = words

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._words), name)
        setattr(self, name, found)  # later look-ups find the attribute without __getattr__
        return found
