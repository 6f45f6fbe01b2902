"""A plan of what the next build leaves out, from what a run has throttled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..experiment import Region
from ..experiment.plan import Exclude, Pattern, Plan, build_line, save_plan

__all__ = ["write_plan"]

_HEAD: Final = """\
# Regions that the next build leaves out: {build}
# A region is what its kind, file, function and ordinal say; drop an entry to have it measured again.
"""


def write_plan(path: Path, throttled: Mapping[str, str]) -> None:
    """Write a plan that leaves regions out, by descriptor, each with the reason.

    Raises:
        InputError: The file cannot be written.
    """
    rules = (Exclude(Pattern.of(Region.from_descriptor(text)), reason) for text, reason in throttled.items())
    save_plan(path, Plan(exclude=tuple(rules)), _HEAD.format(build=build_line(path)))
