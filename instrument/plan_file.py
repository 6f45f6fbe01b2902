"""The file of the plan that builds obey: the one that ``AUTOANALYZER_PLAN`` names, or that of the last run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..experiment.plan import PLAN_FILE, RUN_FOLDER
from .store import digest

__all__ = ["PLAN_VARIABLE", "PlanFile", "find_plan", "text_of"]

PLAN_VARIABLE: Final = "AUTOANALYZER_PLAN"
_AUTO: Final = "auto"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan's file.

    Attributes:
        path: Where it is.
        name: What messages call it.
        of_run: Whether it was not named, but found where runs write theirs.
    """

    path: Path
    name: str
    of_run: bool = False


def text_of(file: str) -> str:
    """Give what tells a source's text from others, for plans; empty if it cannot be read."""
    with suppress(OSError, ValueError):
        path = Path(file)
        return digest(path.read_bytes())[:_DIGITS] if path.is_file() else ""
    return ""


def find_plan(environment: Mapping[str, str] = os.environ) -> PlanFile | None:
    """Find the plan; None if there is none.

    ``auto`` is that of the last run: the first folder, from this one upwards, in which a run has left data where it
    does if nothing else is said, has it or nobody has. What cannot be read, as it is of others, is none.
    """
    name = environment.get(PLAN_VARIABLE, "")
    if name != _AUTO:
        return PlanFile(Path(name), f"{PLAN_VARIABLE}={name}") if name else None
    try:
        here = Path.cwd()
    except OSError:  # removed
        return None
    run = next((each for each in (here, *here.parents) if _is_so((each / RUN_FOLDER).is_dir)), here)
    path = run / RUN_FOLDER / PLAN_FILE
    readable = _is_so(path.is_file) and os.access(path, os.R_OK)
    return PlanFile(path, os.path.relpath(path), of_run=True) if readable else None


def _is_so(test: Callable[[], bool]) -> bool:
    """Carry out a test of a path that may lie in a folder of others."""
    with suppress(OSError):
        return test()
    return False
