"""The plan in a run's folder: what runs have throttled, to be left out of the next build."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..experiment import Experiment
from ..experiment.plan import Pattern, Plan, build_line, left_out, load_plan, save_plan

__all__ = ["add_throttled"]

_OURS: Final = "# Written by autoanalyzer: what runs have throttled, the next build leaves out.\n"
_HEAD: Final = """\
# {build}
# Kind, file, function and ordinal identify a region; delete an entry to have its region measured again.
"""


def add_throttled(path: Path, experiment: Experiment, began: float | None = None) -> str:
    """Add what a run has throttled to the plan in its folder, and say so; empty if it has throttled nothing.

    Built without these regions a program throttles nothing, and the build after that must not bring them back: so what
    the plan has stays, but for the files of which the run has measured a region that it leaves out. The build has not
    obeyed it there, as the source is another one now, and ordinals may mean other regions. A plan that no run has
    written stays as it is. The experiment is there already: nothing that goes wrong here may take it away.

    Args:
        path: The plan.
        experiment: The run.
        began: When the run began, if known: the file is as old, for what was edited meanwhile is not what was run.
    """
    rules = left_out(experiment.notes.throttled)
    if not rules:
        return ""
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else _OURS
        if not text.startswith(_OURS):
            more = f", and {len(rules) - 1} more" if len(rules) > 1 else ""
            return (
                f"{path} is not written by a run, and stays as it is; to leave out what was throttled, add "
                f"[[exclude]] with {rules[0].pattern}{more}"
            )
        plan = load_plan(path) if text != _OURS else Plan()
        measured = {Pattern.of(each.region) for each in experiment.call_paths}
        anew = {rule.pattern.file for rule in plan.exclude if rule.pattern in measured}
        kept = {rule.pattern: rule for rule in plan.exclude if rule.pattern.file not in anew}
        exclude = kept | {rule.pattern: rule for rule in rules}
        save_plan(path, replace(plan, exclude=tuple(exclude.values())), _OURS + _HEAD.format(build=build_line(path)))
        os.utime(path, None if began is None else (began, began))
    except (InputError, OSError) as error:
        return f"{error}; what was throttled is not added to it"
    return f"{path} leaves the throttled regions out of the next build: {build_line(path)}"
