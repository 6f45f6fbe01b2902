"""Record Python functions as regions: variables for a program's interpreters, and the interpreters' reports."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

__all__ = [
    "PATTERNS_VARIABLE",
    "PYTHON_PATH",
    "PYTHON_REPORTS",
    "PythonReport",
    "python_environment",
    "read_python_reports",
]

PATTERNS_VARIABLE: Final = "AUTOANALYZER_PYTHON_FUNCTIONS"  # the same as in runtime/python_hook/sitecustomize.py
PYTHON_PATH: Final = "PYTHONPATH"
_HOOK: Final = Path(__file__).parent / "python_hook"
PYTHON_REPORTS: Final = "*.python.txt"  # the same as in runtime/python_hook/autoanalyzer_functions.py
_NEAREST: Final = 3


def python_environment(patterns: Sequence[str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that make interpreters import the hook that records functions.

    Args:
        patterns: Patterns of the functions; if empty, no variables are returned.
        environment: The environment whose ``PYTHONPATH`` is extended.
    """
    if not patterns:
        return {}
    path = environment.get(PYTHON_PATH)
    return {
        PATTERNS_VARIABLE: ",".join(patterns),
        PYTHON_PATH: f"{_HOOK}{os.pathsep}{path}" if path else str(_HOOK),
    }


@dataclass(frozen=True, slots=True)
class PythonReport:
    """The reports of a run's interpreters.

    Attributes:
        interpreters: The number of interpreters.
        matched: Patterns that matched a function that was called.
        called: The program's own functions that were called, as ``module:function``.
        displaced: The number of interpreters in which the program had replaced or removed the hook's profile function.
    """

    interpreters: int
    matched: frozenset[str]
    called: frozenset[str]
    displaced: int = 0

    def complaints(self, patterns: Sequence[str]) -> Iterator[str]:
        """Yield messages about patterns that matched no function, with similar names, and about incomplete data."""
        if patterns and not self.interpreters:
            yield "--python-functions: no Python program was recorded; start Python without -E, -I and -S"
            return
        if self.displaced:
            yield "--python-functions: the recording ended when the program set a profile function, as cProfile does"
        from difflib import get_close_matches  # noqa: PLC0415 - every command imports this module

        functions = {name.rpartition(":")[2]: name for name in sorted(self.called)}
        for pattern in patterns:
            if pattern in self.matched:
                continue
            near = get_close_matches(pattern, self.called, _NEAREST) or [
                functions[each] for each in get_close_matches(pattern.rpartition(":")[2], functions, _NEAREST)
            ]
            rest = f"did you mean {', '.join(near)}?" if near else "'*' records all of the program's own functions"
            heard = "called while recording" if self.displaced else "called"
            yield f"--python-functions {pattern}: no such function was {heard}; {rest}"


def read_python_reports(shards: Path) -> PythonReport:
    """Read the reports that interpreters left among the shards, and remove them."""
    told: dict[str, list[str]] = {"matched": [], "called": [], "displaced": []}
    files = list(shards.glob(PYTHON_REPORTS))
    for file in files:
        with suppress(OSError):
            *lines, _ = file.read_text(encoding="utf-8", errors="replace").split("\n")
            for word, _, text in (line.partition(" ") for line in lines):
                told.setdefault(word, []).append(unquote(text))
        file.unlink(missing_ok=True)
    return PythonReport(len(files), frozenset(told["matched"]), frozenset(told["called"]), len(told["displaced"]))
