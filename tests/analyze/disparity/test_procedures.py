"""A region's time summed over all its call paths."""

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.experiment import CallPath, Notes
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.sections import SECTIONS
from autoanalyzer.view.verdict import verdict_lines

FOUR = {"a": 0.1, "a/kernel": 13.4, "b": 0.1, "b/kernel": 13.4, "c": 0.1, "c/kernel": 13.4, "d": 0.1, "d/kernel": 13.4}
SLOPE = {"x": 6.0, "x/x1": 10.0, "x/x1/x2": 30.0}


@pytest.fixture
def found(make_experiment):
    """Return a function that analyses exclusive times by path on two ranks; equal names are one region."""

    def make(times: dict[str, float], notes: Notes | None = None, **others: dict[str, float]) -> Findings:
        made = make_experiment(
            {path: [time, time] for path, time in times.items()},
            **{name: {path: [time, time] for path, time in values.items()} for name, values in others.items()},
        )
        paths = [CallPath(each.region._replace(first_line=1, last_line=1), each.parent) for each in made.call_paths]
        return analyze(made.replaced(call_paths=paths, notes=notes or Notes()))

    return make


def named(findings: Findings) -> list[str]:
    regions = findings.run.weighed.regions
    return [findings.experiment.path_name(regions[each.region].id) for each in findings.procedures.heavy]


def heavy_lines(findings: Findings) -> list[str]:
    return [" ".join(line.split()) for line in verdict_lines(findings, everything=True) if re.match("[0-9]", line)]


def test_a_kernel_of_four_callers_is_named_before_what_weighs_less_on_one_path(found):
    findings = found({**FOUR, **SLOPE})
    first, second = heavy_lines(findings)
    assert first == "1 HOT SPOT app.c:1 kernel, called by 4 functions saving unknown; takes 53.6 s (54 % of run)"
    assert "x2, called from app.c:1" in second
    assert verdict_lines(findings)[4].startswith("    on average: 53.6 s per rank; one of 4 call paths")
    callers = "    callers, and their shares of the run: a (13 %), b (13 %), c (13 %), d (13 %)"
    assert callers in verdict_lines(findings)
    (entry,) = findings_document(findings, Path("x"))["disparity"]["procedures"]
    assert (entry["name"], entry["wall_time"], len(entry["call_paths"])) == ("kernel", pytest.approx(53.6), 4)
    assert entry["share"] == entry["with_small"] == pytest.approx(0.536)
    assert entry["callers"][0] == {"function": "a", "share": pytest.approx(0.134)}


def test_a_third_of_the_run_is_named_whatever_its_class(found):
    findings = found({"x": 0.8, "x/y": 0.7, "x/y/z": 0.5, "x/y/z/w": 4.0, "p": 3.3, "q": 0.7})
    assert (
        heavy_lines(findings)[1]
        == "2 HOT SPOT app.c:1 p, called from app.c:1 saving unknown; takes 3.3 s (33 % of run)"
    )


def test_what_is_named_on_a_path_or_lighter_than_what_is_named_is_not_named_again(found):
    assert named(found({"a": 0.0, "a/k": 4.0, "b": 6.0})) == []
    assert named(found({**FOUR, "x": 200.0})) == []


def test_on_a_busy_machine_a_kernel_is_named_by_its_share_of_computing(found):
    small = {path: time / 6 for path, time in FOUR.items()}
    findings = found({**small, "x": 7.0, "wait": 0.0}, mpi_time={"wait": 83.0})
    assert named(findings) == ["a/kernel"]
    assert any(re.search(r"takes \S+ m?s \(56 % of busy time\)", line) for line in heavy_lines(findings))


def test_a_procedure_of_small_functions_is_named_and_not_what_merely_contains_it(found):
    parts = {f"{caller}/kernel/f{number}": 0.675 for caller in "abcd" for number in range(20)}
    times = {**dict.fromkeys("abcd", 0.1), **{f"{caller}/kernel": 0.0 for caller in "abcd"}, **parts, **SLOPE}
    findings = found(times)
    assert named(findings) == ["a/kernel"]
    kernel = next(each for each in findings.procedures.every if each.with_small > 50)
    assert (kernel.own_wall_time, kernel.with_small, kernel.wall_time) == pytest.approx((0.0, 54.0, 54.0))


def test_recursion_counts_once(found):
    times = {"f": 1.0, "f/g": 1.0, "f/g/f": 1.0, "f/g/f/g": 1.0, "h": 0.0, "h/f": 2.0}
    findings = found(times)
    by_name = {
        findings.experiment.path_name(findings.run.weighed.regions[each.region].id): each
        for each in findings.procedures.every
    }
    assert (by_name["f"].wall_time, by_name["f"].own_wall_time) == pytest.approx((6.0, 4.0))
    assert (by_name["f/g"].wall_time, by_name["f/g"].own_wall_time) == pytest.approx((3.0, 2.0))
    assert (by_name["f"].callers, by_name["f/g"].callers) == (2, 1)


@pytest.mark.parametrize("seed", range(5))
def test_own_times_and_those_with_small_ones_both_add_up_to_the_run(found, seed):
    random = np.random.default_rng(seed)
    times: dict[str, float] = {}
    for _ in range(40):
        above = random.choice(["", *times])
        times[f"{above}/f{random.integers(12)}".lstrip("/")] = float(random.exponential())
    every = found(times).procedures.every
    assert sum(each.own_wall_time for each in every) == pytest.approx(sum(times.values()))
    assert sum(each.with_small for each in every) == pytest.approx(sum(times.values()))


@pytest.mark.parametrize("processors", [1, 4])
def test_what_is_hot_is_ranked_by_computing_where_ranks_take_turns(found, processors, capsys):
    findings = found({"a": 1.0, "b": 2.0}, Notes(processors=processors), mpi_time={"a": 5.0})
    (first, *_) = findings.procedures.every
    assert first.own_compute_time == (2.0 if processors == 1 else 1.0)
    SECTIONS[0].print(findings)
    assert ("by own busy time" in capsys.readouterr().out) == (processors == 1)


def test_what_verdict_and_document_both_name_is_found_once(found):
    findings, calls = found({**FOUR, **SLOPE}), Counter()

    def count(frame, event, _):
        if event == "call":
            calls[frame.f_code.co_qualname] += 1

    sys.setprofile(count)
    try:
        verdict_lines(findings)
        findings_document(findings, Path("x"))
    finally:
        sys.setprofile(None)
    assert [calls[name] for name in ("culprits_by_weight", "_Merged.of")] == [1, 1]
