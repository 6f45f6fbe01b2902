"""The plan in a run's folder: later runs add to it, and leave alone what is not theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.plan import load_plan
from autoanalyzer.runtime.throttled_plan import add_throttled

LOOPS = [Region("loop", f"loop@{3 * number}", "a.c", "f", number, 3 * number) for number in range(4)]
OTHER = Region("function", "g", "b.c", "g", 0, 1)


def run(*throttled: Region) -> Experiment:
    regions = [Region("program", "main", "main.c", "main"), *throttled]
    return Experiment(
        metrics=[Metric("wall_time", "sec")],
        call_paths=[CallPath(region, 0 if number else None) for number, region in enumerate(regions)],
        locations=[Location("m", "n", 0)],
        severities={"wall_time": np.ones((len(regions), 1))},
        notes=Notes(throttled={each.descriptor: f"{each.name}, often" for each in throttled}),
    )


def left_out(plan: Path) -> list[tuple[str | None, int | None]]:
    return [(rule.pattern.function, rule.pattern.ordinal) for rule in load_plan(plan).exclude]


def test_later_runs_add_to_the_plan_and_one_that_throttles_nothing_keeps_it(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    said = add_throttled(plan, run(LOOPS[0]))
    assert (
        said == f"{plan} leaves the throttled regions out of the next build: AUTOANALYZER_PLAN={plan} make CC=aa-mpicc"
    )
    assert add_throttled(plan, run()) == ""
    add_throttled(plan, run(LOOPS[2], OTHER))
    assert left_out(plan) == [("f", 0), ("f", 2), ("g", 0)]
    assert [rule.reason for rule in load_plan(plan).exclude] == ["loop@0, often", "loop@6, often", "g, often"]


def test_entries_hold_for_the_texts_that_runs_have_measured_the_latest_ones_first(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    for text in "abcdeaf":
        add_throttled(plan, run(replace(LOOPS[0], text=text), *([OTHER] if text == "a" else [])))
    assert [rule.texts for rule in load_plan(plan).exclude] == [("f", "a", "e", "d"), ()]


FOREIGN = """{} is not written by a run, and stays as it is; to leave out what was throttled, add [[exclude]] with \
kind = "loop", file = "a.c", function = "f", ordinal = 0, and 1 more"""
OLD = "{}: expected a plan of version 2, found version 1; generate it again; what was throttled is not added to it"
HEAD = "# Written by autoanalyzer: what runs have throttled, the next build leaves out.\n"


@pytest.mark.parametrize(("text", "said"), [("# mine\nversion = 2\n", FOREIGN), (f"{HEAD}version = 1\n", OLD)])
def test_a_plan_that_is_not_a_runs_own_stays_as_it_is(tmp_path: Path, text: str, said: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    assert add_throttled(plan, run(LOOPS[0], OTHER)) == said.format(plan)
    assert plan.read_text() == text
