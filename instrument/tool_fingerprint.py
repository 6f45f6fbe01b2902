"""What of this package, and of its settings, an instrumented text follows from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from .compiler import Argument
from .plan_file import find_plan

__all__ = ["own_fingerprint"]

_PACKAGE: Final = Path(__file__).parent.parent
_ROOMS: Final = (
    *("instrument", "instrument/c_family", "instrument/c_family/c", "instrument/c_family/cxx", "instrument/fortran"),
    *("experiment", "experiment/plan"),
)
_SETTING: Final = re.compile(r"AUTOANALYZER_(?!CACHE|INSIDE|SHARDS|PRODUCTS|MAX_|COUNTERS|EVENTS|CPU_CLOCK)")


def own_fingerprint(source: Argument) -> Iterator[str]:
    """Give what changes when this package would make another text of a source.

    Files of code count by size and time: a version would not tell two states of a checkout apart.

    Args:
        source: The source.

    Raises:
        OSError: The plan cannot be read.
    """
    yield sys.version
    yield from (f"{name}={value}" for name, value in sorted(os.environ.items()) if _SETTING.match(name))
    if plan := find_plan():
        yield from (plan.path.read_text("utf-8", "surrogateescape"), plan.name)
    for room in _ROOMS:
        yield from sorted(_state(entry) for entry in os.scandir(_PACKAGE / room) if entry.is_file())
    parsers = () if source.is_fortran else ("clang",) if source.is_cxx else ("pycparser", "clang")
    for parser in map(find_spec, parsers):
        if parser and parser.origin:
            yield _state(Path(parser.origin))


def _state(path: Path | os.DirEntry[str]) -> str:
    status = path.stat()
    return f"{path.name} {status.st_size} {status.st_mtime_ns}"
