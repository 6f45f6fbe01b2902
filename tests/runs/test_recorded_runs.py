"""Recorded runs: the options and events of each."""

from dataclasses import asdict
from pathlib import Path

import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.runs.options import INTERVAL, RunOptions
from autoanalyzer.runs.recorded_runs import groups_of, planned_runs


def changes(one, other):
    return {name: value for name, value in asdict(other).items() if value != getattr(one, name)}


def test_recorded_runs_count_groups_of_events_and_have_time_lines():
    options = RunOptions(output=Path("out"), counters="papi", events="instructions=A,l1_misses=B,l2_misses=C")
    plans = [*planned_runs(options, runs=2, per_run=2)]
    groups = ["instructions=A,l1_misses=B", "instructions=A,l2_misses=C"]
    for number, plan in enumerate(plans):
        changed = {"output": Path(f"out/run-{number + 1}"), "trace": INTERVAL, "events": groups[number % 2]}
        assert changes(options, plan.options) == changed
        assert plan.about == f"time lines with {groups[number % 2]}"
    assert len(plans) == 4


def test_what_is_simulated_is_counted_once():
    options = RunOptions(output=Path("out"), counters="simulated", cache="L1=32K/8/64", no_copy=True, trace=0.5)
    first, *others = planned_runs(options, runs=3, per_run=4)
    assert changes(options, first.options) == {"output": Path("out/run-1")}
    assert [each.about for each in (first, *others)] == ["time lines, then simulated counts", *["time lines"] * 2]
    without = {"counters": "none", "cache": None, "no_copy": False}
    assert [changes(first.options, each.options) for each in others] == [
        {"output": Path(f"out/run-{number}"), **without} for number in (2, 3)
    ]


def test_events_without_papi_are_refused():
    options = RunOptions(output=Path("out"), counters="none", events="instructions=A")
    with pytest.raises(UsageError, match="--events needs --counters papi, found none"):
        next(planned_runs(options, runs=1, per_run=4))


@pytest.mark.parametrize(
    ("events", "most", "expected"),
    [
        (None, 4, [None]),
        ("a=1", 4, ["a=1"]),
        ("a=1", 1, ["a=1"]),
        ("a=1,b=2,c=3", 4, ["a=1,b=2,c=3"]),
        ("a=1,b=2,c=3,d=4", 2, ["a=1,b=2", "a=1,c=3", "a=1,d=4"]),
        ("a=1,b=2,c=3,d=4", 3, ["a=1,b=2,c=3", "a=1,d=4"]),
    ],
)
def test_the_first_event_is_in_each_run(events, most, expected):
    assert [*groups_of(events, most)] == expected


def test_one_event_a_run_leaves_no_common_one():
    with pytest.raises(UsageError, match="--per-run 1: expected at least 2"):
        [*groups_of("a=1,b=2", 1)]
