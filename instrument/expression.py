"""Regular expressions that are compiled once they are used: a front end has many, and most sources ask for few."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

__all__ = ["expression"]


def expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Give what ``re.compile`` would, compiled when one of its methods is first asked for."""
    return cast("re.Pattern[AnyStr]", _Expression(pattern, flags))


class _Expression:
    def __init__(self, *words: Any) -> None:
        self._words = words

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._words), name)
        setattr(self, name, found)  # where it is found at once from now on
        return found
