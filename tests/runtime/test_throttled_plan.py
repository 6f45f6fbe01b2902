"""The plan in a run's folder: later runs extend it, and do not touch other rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, save
from autoanalyzer.experiment.plan import load_plan
from autoanalyzer.runtime.throttled_plan import add_throttled

LOOPS = [Region("loop", f"loop@{3 * number}", "a.c", "f", number, 3 * number) for number in range(4)]
OTHER = Region("function", "g", "b.c", "g", 0, 1)
CALLER = Region("function", "large", "a.c", "large", 0, 9)


def run(
    *throttled: Region,
    elsewhere: Sequence[float] = (),
    visits: float = 1,
    share: float = 0.05,
    more: Mapping[str, float] = MappingProxyType({}),
) -> Experiment:
    """Return a run with regions folded into main; they also have other call paths, with ``elsewhere`` as their time.

    There, ``more`` are the values of further metrics; main has 1 of each.
    """
    main = CallPath(Region("program", "main", "main.c", "main"))
    paths = [main, CallPath(CALLER, 0), *(CallPath(each, caller) for caller in (0, 1) for each in throttled)]
    values = np.zeros((2, len(paths), max(len(elsewhere), 1)))
    values[:, 0], values[0, 2:] = 1, visits
    values[1, 2 + len(throttled) :] = elsewhere or 0
    others = {name: np.full(values[0].shape, value) for name, value in more.items()}
    for each in others.values():
        each[: 2 + len(throttled)] = 0
        each[0] = 1
    return Experiment(
        metrics=[Metric("visits", "occ"), Metric("wall_time", "sec"), *(Metric(name, "sec") for name in others)],
        call_paths=paths,
        locations=[Location("m", "n", rank) for rank in range(values.shape[2])],
        severities={"visits": values[0], "wall_time": values[1], **others},
        notes=Notes(
            throttled={each.descriptor: f"{each.name}, often" for each in throttled}, probe_ns=20.0, max_overhead=share
        ),
    )


def left_out(plan: Path) -> list[tuple[str | None, int | None]]:
    return [(rule.pattern.function, rule.pattern.ordinal) for rule in load_plan(plan).exclude]


def test_later_runs_add_to_the_plan_and_one_that_throttles_nothing_keeps_it(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    said = add_throttled(plan, run(LOOPS[0]))
    assert (
        said == f"{plan} excludes small regions from the next build; to use this plan: "
        f"AUTOANALYZER_PLAN={plan} make CC=aa-mpicc"
    )
    assert add_throttled(plan, run()) == ""
    add_throttled(plan, run(LOOPS[2], OTHER))
    assert left_out(plan) == [("f", 0), ("f", 2), ("g", 0)]
    assert [rule.reason for rule in load_plan(plan).exclude] == ["loop@0, often", "loop@6, often", "g, often"]


def test_entries_hold_for_the_texts_that_runs_have_measured_the_latest_ones_first(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    for text in "abcdeaf":
        add_throttled(plan, run(LOOPS[0]._replace(text=text), *([OTHER] if text == "a" else [])))
    assert [rule.texts for rule in load_plan(plan).exclude] == [("f", "a", "e", "d"), ()]


@pytest.mark.parametrize(
    ("elsewhere", "visits", "share", "stays"),
    [
        pytest.param([0.5], 1e3, 0.05, True, id="long visits that weigh"),
        pytest.param([0.0, 0.5], 1e3, 0.05, True, id="on one rank alone"),
        pytest.param([0.5], 1e7, 0.05, False, id="visits of 50 ns"),
        pytest.param([0.5], 1e6, 0.05, True, id="visits of 500 ns, with 20 pairs of 20 ns"),
        pytest.param([0.5], 1e6, 0.01, False, id="visits of 500 ns, where 1 % is allowed"),
        pytest.param([1e-5], 1, 0.05, False, id="a first, slow visit"),
        pytest.param([0.0], 1, 0.05, False, id="throttled on all call paths"),
    ],
)
def test_a_region_stays_in_the_next_build_if_it_is_heavy_on_any_call_path(
    tmp_path: Path, elsewhere: list[float], visits: float, share: float, stays: bool
) -> None:
    plan = tmp_path / "plan.toml"
    said = add_throttled(plan, run(OTHER, elsewhere=elsewhere, visits=visits, share=share))
    assert plan.exists() == bool(said) == (not stays)


@pytest.mark.parametrize(
    ("times", "stays"),
    [
        pytest.param({"cpu_time": 0.0}, False, id="other programs had the core"),
        pytest.param({"cpu_time": 0.5}, True, id="computing"),
        pytest.param({"cpu_time": 0.01, "io_cpu_time": 0.01, "io_time": 0.4}, True, id="waiting for files"),
    ],
)
def test_wall_time_in_which_other_programs_run_keeps_no_region_in_the_next_build(
    tmp_path: Path, times: dict[str, float], stays: bool
) -> None:
    plan = tmp_path / "plan.toml"
    add_throttled(plan, run(OTHER, elsewhere=[0.5], visits=1e3, more=times))
    assert plan.exists() == (not stays)


def test_runs_that_end_at_once_each_add_to_the_plan(tmp_path: Path) -> None:
    regions = [Region("function", f"f{number}", "a.c", f"f{number}", 0, number) for number in range(60)]
    for half in (0, 1):
        for number, region in enumerate(regions[half::2]):
            save(run(region), tmp_path / f"{half}.{number}.cube")
    code = (
        "import sys; from pathlib import Path; from autoanalyzer.experiment import load;"
        " from autoanalyzer.runtime.throttled_plan import add_throttled\n"
        "found = [load(Path(f'{sys.argv[1]}.{number}.cube')) for number in range(30)]\n"
        "print(flush=True); sys.stdin.readline()\n"
        "for each in found: assert add_throttled(Path('plan.toml'), each)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(half)], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for half in (0, 1)
    ]
    for each in processes:
        assert each.stdout
        each.stdout.readline()
    for each in processes:
        assert each.stdin
        each.stdin.write(b"\n")
        each.stdin.flush()
    for each in processes:
        each.communicate()
    assert [each.returncode for each in processes] == [0, 0]
    assert {rule.pattern.function for rule in load_plan(tmp_path / "plan.toml").exclude} == {r.name for r in regions}


FOREIGN = """{} was not written by a run, so it stays unchanged; to leave out small regions, add [[exclude]] with \
kind = "loop", file = "a.c", function = "f", ordinal = 0, and 1 more"""
OLD = """{}: expected a plan of version 2, found version 1; generate the plan again; \
small regions are not added to the plan"""
HEAD = "# Written by autoanalyzer: the next build leaves out these regions, too small to measure separately.\n"


@pytest.mark.parametrize(("text", "said"), [("# mine\nversion = 2\n", FOREIGN), (f"{HEAD}version = 1\n", OLD)])
def test_a_plan_that_is_not_a_runs_own_stays_as_it_is(tmp_path: Path, text: str, said: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    assert add_throttled(plan, run(LOOPS[0], OTHER)) == said.format(plan)
    assert plan.read_text() == text
