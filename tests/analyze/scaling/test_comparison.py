"""Comparison of two versions' scaling, on synthetic runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from autoanalyzer.analyze.scaling import LossChange, Scaling, compare_scaling, find_scaling, series_of
from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.experiment import CallPath, Experiment, Region
from autoanalyzer.view.scaling_comparison import scaling_comparison_document, scaling_comparison_lines

from ..conftest import MakeExperiment


@pytest.fixture
def study(make_experiment: MakeExperiment) -> Any:
    """Judge runs with 8 s of divided work, ``repeats`` seconds on every rank, and ``alone`` seconds on rank 0."""

    def run(ranks: int, repeats: float, alone: float, counted: bool, slow: float) -> Experiment:
        work = {"divided": [8 / ranks] * ranks, "all": [repeats] * ranks, "alone": [alone, *[0.0] * (ranks - 1)]}
        work = {name: [slow * each for each in values] for name, values in work.items()}
        path = {name: [values[0], *[0.0] * (ranks - 1)] for name, values in work.items()}
        counts = {"instructions": {name: [1e9 * each for each in row] for name, row in work.items()}} if counted else {}
        return make_experiment(work, path_time=path, **counts)

    def judged(
        repeats: float,
        alone: float = 0.0,
        *,
        sizes: tuple[int, ...] = (1, 2, 4),
        counted: bool = True,
        runs: int = 1,
        step: float = 0.01,
        change: Callable[[Experiment], Experiment] = lambda run: run,
    ) -> Scaling:
        noises = [1 + step * number for number in range(runs)]
        series = [[change(run(ranks, repeats, alone, counted, noise)) for noise in noises] for ranks in sizes]
        return find_scaling(series_of(series, [f"out{ranks}" for ranks in sizes]), "strong")

    return judged


def test_a_version_without_a_replicated_part_scales_better_by_instructions(study: Any) -> None:
    document = scaling_comparison_document(compare_scaling(study(1.0, 0.5), study(0.5, 0.5)))
    assert (document["verdict"], document["by"], document["changed_most"]) == ("better", "instructions", "instructions")
    assert document["factors"]["instructions"]["base"] == pytest.approx([1, 9.5 / 10.5, 9.5 / 12.5])
    assert document["factors"]["instructions"]["other"] == pytest.approx([1, 9 / 9.5, 9 / 10.5])
    first, second = document["losses"]
    assert (first["kind"], first["function"], first["base"], first["other"]) == (
        "replicated", "all", pytest.approx(3), pytest.approx(1.5)
    )  # fmt: skip
    assert (second["function"], second["base"], second["other"]) == ("alone", pytest.approx(1.5), pytest.approx(1.5))
    lines = document["lines"]
    assert lines[0].endswith("scales better: efficiency 0.75 instead of 0.68 at 4 ranks; confirmed by instructions")
    assert any(line.startswith("LESS     REPLICATED") and line.endswith("1.5 s instead of 3 s") for line in lines)
    assert lines[-1] == "SAME     1 loss"
    back = compare_scaling(study(0.5, 0.5), study(1.0, 0.5))
    assert (back.word, back.by) == ("worse", "instructions")


@pytest.mark.parametrize(
    ("before", "now", "word"),
    [(1.0, 0.8, "may scale better"), (0.8, 1.0, "may scale worse"), (1.0, 1.0, "scales as before")],
)
def test_the_sentence_says_how_the_program_scales_even_if_that_is_unclear(
    study: Any, before: float, now: float, word: str
) -> None:
    found = compare_scaling(*(study(each, counted=False) for each in (before, now)))
    assert f" {word}: efficiency " in scaling_comparison_lines(found)[0]


def test_without_counts_computation_may_change_most(study: Any) -> None:
    found = compare_scaling(study(1.0, 0.5, counted=False), study(0.2, 0.5, counted=False))
    assert found.changed_most == "computation"
    assert scaling_comparison_document(found)["factors"]["computation"]["base"] == pytest.approx(
        [1, 9.5 / 10.5, 9.5 / 12.5]
    )
    assert any(line.startswith("computation now") for line in scaling_comparison_lines(found))


def test_in_weak_scaling_speed_is_work_per_second(study: Any) -> None:
    weak = find_scaling(study(1.0).series, "weak")
    second = scaling_comparison_lines(compare_scaling(weak, weak))[1]
    assert " times the work per second of 1 rank (was " in second
    assert second.endswith(", ideal 4)")


def test_times_alone_show_a_change_beyond_their_range(study: Any) -> None:
    def compared(before: float, now: float, runs: int, step: float = 0.01) -> tuple[str, str]:
        found = compare_scaling(*(study(0.0, each, counted=False, runs=runs, step=step) for each in (before, now)))
        return found.word, found.by

    assert compared(1.0, 0.8, 1) == ("unclear", "times")
    assert compared(1.0, 0.8, 3) == ("better", "times")
    assert compared(1.0, 1.0, 3) == ("same", "times")
    assert compared(0.0, 2.0, 1) == ("worse", "times")
    assert compared(0.0, 2.0, 3, step=0.3) == ("unclear", "times")
    assert compared(1.0, 0.8, 3, step=0.05) == ("unclear", "times")
    assert compared(1.0, 1.0, 3, step=0.3) == ("same", "times")


def test_an_efficiency_that_changes_by_at_most_a_hundredth_is_the_same_whatever_instructions_do(study: Any) -> None:
    base = study(1.0)
    factors = {**base.factors}
    for name, change in (("efficiency", 1.005), ("instructions", 1.02)):
        factors[name] = (*factors[name][:-1], change * factors[name][-1])
    found = compare_scaling(base, replace(base, factors=factors))
    assert (found.word, found.by) == ("same", "times")


def test_a_loss_of_one_version_alone_is_new_or_gone(study: Any) -> None:
    lines = scaling_comparison_document(compare_scaling(study(1.0), study(0.0, 1.0)))["lines"]
    assert any(re.fullmatch(r"GONE +REPLICATED .* all +0 s instead of 3 s", line) for line in lines)
    assert any(re.fullmatch(r"NEW .* alone +3 s instead of 0 s", line) for line in lines)
    lines = scaling_comparison_lines(compare_scaling(study(0.02), study(0.5)))  # first, less than 1 % of the run
    assert any(re.fullmatch(r"MORE +REPLICATED .* all +1\.5 s instead of 60 ms", line) for line in lines)


@pytest.mark.parametrize(
    ("base", "other", "said"),
    [
        (0.0, -2.0, "NEW FASTER CORES all regions -2 s instead of 0 s"),
        (-1.0, -2.0, "MORE FASTER CORES all regions -2 s instead of -1 s"),
        (1.0, -2.0, "LESS SLOW CORES all regions -2 s instead of 1 s"),
        (-1.0, 2.0, "MORE SLOW CORES all regions 2 s instead of -1 s"),
    ],
)
def test_cores_that_are_faster_are_a_gain(study: Any, base: float, other: float, said: str) -> None:
    found = compare_scaling(study(1.0), study(1.0))
    lines = scaling_comparison_lines(replace(found, changes=(LossChange("slow_core", None, base, other),)))
    assert " ".join(lines[-1].split()) == said


def test_series_that_differ_in_ranks_are_refused(study: Any) -> None:
    with pytest.raises(UsageError, match="expected both series to have runs with 1, 2, 4 ranks, found 1, 4"):
        compare_scaling(study(1.0), study(1.0, sizes=(1, 4)))


def test_versions_of_other_programs_or_machines_are_refused(study: Any) -> None:
    def renamed(run: Experiment) -> Experiment:
        paths = [replace(each, region=each.region._replace(name=f"z{each.region.name}")) for each in run.call_paths]
        return run.replaced(call_paths=paths)

    def on(processor: str, run: Experiment) -> Experiment:
        return run.replaced(notes=replace(run.notes, calibrated={"processor": processor, "caches": "L1"}))

    with pytest.raises(InputError, match="out4: no region in common with out4"):
        compare_scaling(study(1.0), study(1.0, change=renamed))
    with pytest.raises(InputError, match="expected a machine with A and L1, as in out4, found B and L1"):
        compare_scaling(*(study(1.0, change=partial(on, each)) for each in "AB"))


@pytest.mark.parametrize("throttled", [0, 1])
def test_a_region_that_one_version_throttled_is_matched(study: Any, throttled: int) -> None:
    """A small function calls another one, which main also calls."""
    small = CallPath(Region("function", "small", "app.c", "small", 0, 90, 91), 0)

    def calling(is_throttled: bool, run: Experiment) -> Experiment:
        count = len(run.call_paths)
        paths = [small] if is_throttled else [small, CallPath(run.call_paths[1].region, count)]
        rows = {each.name: np.full((len(paths), len(run.locations)), each.name == "visits") for each in run.metrics}
        return run.replaced(
            call_paths=[*run.call_paths, *paths],
            severities={name: np.concatenate([run.exclusive(name), row]) for name, row in rows.items()},
            notes=replace(run.notes, throttled={small.region.descriptor: "often"} if is_throttled else {}),
        )

    base, other = (study(1.0, change=partial(calling, side == throttled)) for side in (0, 1))
    assert scaling_comparison_document(compare_scaling(base, other))["verdict"] == "same"
