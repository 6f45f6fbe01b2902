"""Decide from a Fortran source's preprocessor lines, without a preprocessor, which parts of it are compiled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from ...instrument.expression import expression
from ...instrument.fortran.lines import LINE
from ..options import Options

__all__ = ["OF_LIBRARIES", "Arms", "as_compiled", "chosen"]

OF_LIBRARIES: Final = frozenset(("mpif.h", "omp_lib.h"))
"""Included files that need not be read, because their names are known."""
_LINE: Final = expression(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif|include|define|undef)\b(?P<rest>.*)")
_NEVER: Final = expression(r"\s*\(?\s*(?:0|\.false\.)\s*\)?\s*(?:!.*|/[*].*)?$")
_FILE: Final = expression(r"\s*[\"<]([^\">]+)[\">]")


class Arms(Enum):
    """The arms to choose for undecidable conditions."""

    ALL = "all"
    FIRST = "the first"
    LAST = "the last"


@dataclass(slots=True)
class _Condition:
    """A preprocessor condition whose end has not been reached yet.

    Attributes:
        counts: Whether the current arm is active.
        met: Whether an earlier arm was active.
        around: Whether the enclosing text is active.
    """

    counts: bool
    met: bool
    around: bool


def as_compiled(text: bytes, path: Path, options: Options | None) -> bytes:
    """Return a source after resolving the conditions that its options decide; unchanged if they are unknown.

    Args:
        text: The source.
        path: The source's path.
        options: The options with which the source was compiled; None if they are unknown.
    """
    if options is None or not re.search(rb"^[ \t]*#[ \t]*if", text, re.M):
        return text
    try:
        from ..preprocessor import decided  # noqa: PLC0415 - libclang may be missing
    except (ImportError, OSError, AttributeError):
        return text
    return decided(text, path, options, ["-xc", "-undef", "-nostdinc", *options.preprocessing], OF_LIBRARIES)


def chosen(text: str, arms: Arms) -> tuple[str, tuple[int, ...]]:
    """Return a source in which preprocessor lines and inactive arms are blank.

    ``#include`` becomes INCLUDE. Line numbers and lines such as ``# 12 "file"`` stay unchanged.

    Args:
        text: The source.
        arms: The arms to choose for undecidable conditions.

    Returns:
        The text and the numbers of the lines with undecidable conditions.
    """
    if not re.search(r"^[ \t]*#[ \t]*[a-z]", text, re.M):
        return text, ()
    opened: list[_Condition] = []
    kept: list[str] = []
    open_questions: list[int] = []
    for number, line in enumerate(LINE.findall(text), 1):
        match = _LINE.match(line)
        if match is None:
            counts = not opened or (opened[-1].counts and opened[-1].around)
            kept.append(line if counts and not re.match(r"[ \t]*#[ \t]*[a-z]", line) else "\n")
            continue
        word = match["word"]
        if word in {"if", "ifdef", "ifndef"} and not (word == "if" and _NEVER.match(match["rest"])):
            open_questions.append(number)
        counts = _take(word, match["rest"], opened, arms)
        file = _FILE.match(match["rest"]) if word == "include" and counts else None
        kept.append(f"      include '{file[1]}'\n" if file and "'" not in file[1] else "\n")
    return "".join(kept), tuple(open_questions)


def _take(word: str, rest: str, opened: list[_Condition], arms: Arms) -> bool:
    """Process a preprocessor line and return whether the text after it is active."""
    around = not opened or (opened[-1].counts and opened[-1].around)
    if word in {"if", "ifdef", "ifndef"}:
        counts = arms is not Arms.LAST and not (word == "if" and _NEVER.match(rest))
        opened.append(_Condition(counts, counts, around))
    elif word in {"elif", "else"} and opened:
        last = opened[-1]
        never = word == "elif" and bool(_NEVER.match(rest))
        last.counts = not never and (arms is Arms.ALL or not last.met)
        last.counts = last.counts and not (arms is Arms.LAST and word == "elif")
        last.met = last.met or last.counts
    elif word == "endif" and opened:
        opened.pop()
    return around
