"""Write a plan as TOML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...atomic_file import replacing
from .pattern import spelled
from .plan import VERSION, Plan

__all__ = ["save_plan"]


def save_plan(path: Path, plan: Plan, head: str = "") -> None:
    """Write a plan so that it reads back unchanged.

    Args:
        path: The file.
        plan: The plan.
        head: Comment lines for the top of the file, each with its ``#``.

    Raises:
        InputError: The file cannot be written.
    """
    with replacing(path) as stream:
        stream.write("".join(_lines(plan, head)).encode("utf-8", "surrogateescape"))


def _lines(plan: Plan, head: str) -> Iterator[str]:
    yield head
    yield f"version = {VERSION}\n"
    if plan.modes is not None:
        yield f"modes = {spelled(plan.modes)}\n"
    for include in plan.include:
        yield from _entry("include", {**include.pattern.keys(), "modes": include.modes or None}, include.comment)
    for table, rules in (("exclude", plan.exclude), ("eliminate", plan.eliminate)):
        for rule in rules:
            more = {"reason": rule.reason or None, "texts": rule.texts or None}
            yield from _entry(table, {**rule.pattern.keys(), **more}, rule.comment)
    for merge in plan.merge:
        keys = {"file": merge.file, "function": merge.function, "regions": merge.regions, "name": merge.name or None}
        yield from _entry("merge", keys)
    for split in plan.split:
        yield from _entry("split", {**split.pattern.keys(), "into": split.into})


def _entry(table: str, keys: Mapping[str, Any], comment: str = "") -> Iterator[str]:
    said = "".join(each if each.isprintable() else " " for each in comment)
    yield f"\n[[{table}]]{'  # ' if said else ''}{said}\n"
    yield from (f"{key} = {spelled(value)}\n" for key, value in keys.items() if value is not None)
