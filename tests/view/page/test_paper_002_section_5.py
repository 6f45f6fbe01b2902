"""The two examples of paper 002, section 5, on the page: a fix before and after, and two tools' metrics together."""

from __future__ import annotations

import numpy as np

from autoanalyzer.experiment import select
from autoanalyzer.experiment.aggregate import own
from autoanalyzer.experiment.algebra import merge
from autoanalyzer.view.units import amount, percent


def _total(experiment, metric: str) -> float:
    return float(np.nansum(experiment.exclusive(metric)))


def _value(shown, dimension: str, label: str) -> dict:
    return next(row for row in shown.rows()[dimension] if row["label"] == label)


def test_5_1_a_comparison_begins_with_what_improved_and_by_how_much(experiments, show):
    before, after = experiments["rays"], experiments["rays_dynamic"]
    shown = show(after, "", of_page={"against": (before, "before")})
    said = "the busiest rank takes 924 ms, 38.7 % less than 1.51 s"
    assert shown.page.inner_text(".verdict >> nth=0") == f"compared with before: {said}"
    of_region = "propagate/loop@28 (propagate.c:28) takes 905 ms, 39.1 % less than 1.49 s"
    assert of_region in shown.page.inner_text("#panel .compared li >> nth=0")


def test_5_1_the_difference_of_before_and_after_a_fix_in_percent_of_before(experiments, show):
    before, after = experiments["rays"], experiments["rays_dynamic"]
    shown = show(after, of_page={"against": (before, "before")})
    shown.press("4")
    shown.page.click("text=Show the difference in the trees")
    shown.settle()
    for metric in ("wall_time", "cpu_time"):
        gain = _total(before, metric) - _total(after, metric)
        row = _value(shown, "metrics", metric)
        assert row["value"] == f"{'▼' if gain > 0 else '▲'}{amount(abs(gain), 'sec')}"
        assert row["relief"] == ("raised" if gain > 0 else "sunken")
    shown.page.select_option(".toolbar select", "other")
    shown.settle()
    for metric in ("wall_time", "cpu_time", "mpi_calls"):
        part = 100 * (_total(before, metric) - _total(after, metric)) / _total(before, metric)
        assert _value(shown, "metrics", metric)["value"] == f"{'▼' if part > 0 else '▲'}{percent(abs(part))}"
    assert {row["relief"] for row in shown.rows()["program"]} >= {"raised", "sunken"}
    assert shown.complaints == []


def test_5_1_lists_tell_what_became_slower_and_what_faster(experiments, show):
    before, after = experiments["rays"], experiments["rays_dynamic"]
    shown = show(after, "#m=cpu_time", of_page={"against": (before, "before")})
    shown.press("4")
    said = shown.page.inner_text("#panel > p")
    was, now = (amount(_total(each, "cpu_time"), "sec") for each in (before, after))
    assert said.startswith(f"cpu_time of the program, sum of the ranks: {was} in before, {now} here")
    slower, faster = (
        shown.page.locator(".changes").nth(place).locator("tbody td:nth-child(4)").all_inner_texts() for place in (0, 1)
    )
    assert slower
    assert faster
    assert all(each.startswith("▲") for each in slower)
    assert all(each.startswith("▼") for each in faster)
    text = " ".join(shown.page.inner_text("#panel").split())
    assert "loop@28 propagate.c:28 2.59 s → 2.69 s ▲ 103 ms +4.0 % 1.49 s → 905 ms" in text
    assert "loop@65 schedule_dynamic.c:65 ≈ loop@30 schedule_static.c:30 " in text


def test_5_1_a_difference_that_was_written_to_a_file_is_told_by_its_largest_changes(experiments, show):
    difference = experiments["rays - rays_dynamic"]
    shown = show(difference, of_page={"against": (experiments["rays"], "rays")})
    times = own(difference, "cpu_time")
    largest = float(times[np.abs(times).max(axis=1).argmax()].sum())  # of the call path with the largest change
    first = shown.page.inner_text(".findings li:first-child")
    assert first.startswith("GAIN" if largest > 0 else "LOSS")
    assert amount(abs(largest), "sec") in first
    shown.page.click(".findings li:first-child a")
    shown.settle()
    assert shown.selected()["metrics"] == ["cpu_time"]
    assert _value(shown, "program", shown.selected()["program"][0])["value"].strip("▲▼-") == amount(abs(largest), "sec")


def test_5_2_metrics_of_two_measurements_stand_in_one_tree_and_each_shows_its_own(experiments, show):
    run = experiments["rays"]
    times = select(run, metrics=["wall_time"])
    volumes = select(experiments["rays_dynamic"], metrics=["mpi_bytes", "mpi_calls"])
    merged = merge(times, volumes)
    shown = show(merged)
    labels = [row["label"] for row in shown.rows()["metrics"]]
    assert {"wall_time", "mpi_bytes", "mpi_calls"} <= {*labels}
    assert _value(shown, "metrics", "wall_time")["value"] == amount(_total(run, "wall_time"), "sec")
    calls = _total(experiments["rays_dynamic"], "mpi_calls")
    assert _value(shown, "metrics", "mpi_calls")["value"] == amount(calls, "occ")
    shown.go("m=mpi_calls&c=~0&co=")
    shown.tall()
    roots = [row["value"] for row in shown.rows()["program"]]
    assert roots == [amount(calls, "occ")]
    assert shown.complaints == []
