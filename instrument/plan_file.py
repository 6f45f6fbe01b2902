"""Find the plan file that builds use: the one that ``AUTOANALYZER_PLAN`` names, or the plan of the last run.

Cached compiles read the plan first and must be fast, so this module imports little.
"""

from __future__ import annotations

import os

from ..experiment.run_folder import PLAN_FILE, RUN_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

__all__ = ["PLAN_VARIABLE", "PlanFile", "find_plan"]

PLAN_VARIABLE: Final = "AUTOANALYZER_PLAN"
_AUTO: Final = "auto"


class PlanFile:
    """A plan's file.

    Attributes:
        path: Path of the file.
        name: Name of the file in messages.
        of_run: Whether the file was found in a run's folder, rather than named by the user.
    """

    def __init__(self, path: str, name: str, *, of_run: bool = False) -> None:
        self.path = path
        self.name = name
        self.of_run = of_run


def find_plan(environment: Mapping[str, str] = os.environ) -> PlanFile | None:
    """Return the plan file, or None if there is none.

    The value ``auto`` means the plan of the last run, which is searched for in the default run folder of the current
    folder, then of the folders above. A plan that cannot be read, for example another user's, is ignored.
    """
    name = environment.get(PLAN_VARIABLE, "")
    if name != _AUTO:
        return PlanFile(name, f"{PLAN_VARIABLE}={name}") if name else None
    try:
        folder = os.getcwd()
    except OSError:  # the working folder was removed
        return None
    while not os.path.isdir(os.path.join(folder, RUN_FOLDER)):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    path = os.path.join(folder, RUN_FOLDER, PLAN_FILE)
    readable = os.path.isfile(path) and os.access(path, os.R_OK)
    return PlanFile(path, os.path.relpath(path), of_run=True) if readable else None
