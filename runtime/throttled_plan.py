"""Write the plan in a run's folder, which excludes insignificant throttled regions from the next build."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ..atomic_file import one_at_a_time
from ..errors import InputError
from ..experiment import Experiment
from ..experiment.plan import Exclude, Plan, build_line, load_plan, save_plan
from ..experiment.throttling import left_out

__all__ = ["add_throttled"]

_OURS: Final = "# Written by autoanalyzer: the next build leaves out these regions, too small to measure separately.\n"
_HEAD: Final = """\
# {build}
# Kind, file, function and ordinal identify a region in the measured versions of the file; delete an entry
# to measure its region again.
"""
_TEXTS: Final = 4  # maximum number of versions of a file, or of files with one name, that entries list


def add_throttled(path: Path, experiment: Experiment) -> str:
    """Add a run's throttled regions to the plan in its folder; return a sentence about it, or an empty string.

    Existing entries stay, because a program built without these regions does not throttle them again, and the next
    build must not bring them back. Builds ignore entries for other versions of a file. A plan that was not written by a
    run stays unchanged. Runs that end at the same time write one after another. Errors are returned as the sentence
    instead of raised, so that the experiment is not lost.

    Args:
        path: The plan's file.
        experiment: The run's experiment.
    """
    rules = left_out(experiment)
    if not rules:
        return ""
    try:
        with one_at_a_time(path.with_name(f".{path.name}.lock")):
            return _added(path, rules)
    except InputError as error:
        said = str(error)
    except OSError as error:
        said = f"{path}: cannot be written: {error.strerror}"
    return f"{said}; small regions are not added to the plan"


def _added(path: Path, rules: Sequence[Exclude]) -> str:
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else _OURS
    if not text.startswith(_OURS):
        more = f", and {len(rules) - 1} more" if len(rules) > 1 else ""
        return (
            f"{path} was not written by a run, so it stays unchanged; to leave out small regions, add [[exclude]] with "
            f"{rules[0].pattern}{more}"
        )
    plan = load_plan(path) if text != _OURS else Plan()
    exclude = {rule.pattern: rule for rule in plan.exclude}
    for rule in rules:
        before = exclude.get(rule.pattern, rule)
        texts = tuple(dict.fromkeys([*rule.texts, *before.texts]))[:_TEXTS]
        exclude[rule.pattern] = rule._replace(texts=texts)
    plan = plan._replace(exclude=tuple(exclude.values()))
    build = build_line(path, plan)
    save_plan(path, plan, _OURS + _HEAD.format(build=build))
    return f"{path} excludes small regions from the next build; to use this plan: {build}"
