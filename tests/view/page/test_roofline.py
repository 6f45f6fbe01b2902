"""Rooflines in a real browser: positions of points and roofs, their descriptions, and what a click selects."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import orjson
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.algebra import difference, maximum, mean, merge
from autoanalyzer.view.page import dataset_of
from autoanalyzer.view.page.roofline import roofline_of

from .conftest import Show, faults

RATES = Path(__file__).with_name("rates.mjs")
SIMULATED = "simulated:rtcount L1=32K/8/64 L2=1M/8/64"
PRICES = {
    "instruction_independent": 2.5e-10,
    "l2_miss_streamed": 6.4e-10,
    "memory_streamed": 3.2e-9,
    "memory_byte": 1e-10,
    "memory_byte_shared": 4e-10,
    "flop": 5e-11,
}
# Per rank, on two ranks: wall time, CPU time, instructions, L2 misses, floating-point operations.
VALUES = {
    "main": (0.0, 0.0, 0.0, 0.0, 0.0),
    "stream": (6.0, 6.0, 6e9, 6e9 / 64, 3e9),  # one byte per instruction, 1e9 per second
    "solve": (3.0, 3.0, 9e9, 9e6 / 64, 9e9),
    "small": (1.0, 1.0, 2e9, 0.0, 1e9),
}
TOLD = "stream (a.c:20), 60 % of the time: 1.0e9/s, 1 per byte; 25 % of what the core allows"


def made(prices: dict[str, float] = PRICES, *, flops: bool = False, counted: bool = True) -> Experiment:
    metrics = [Metric("wall_time", "sec"), Metric("cpu_time", "sec")]
    if counted:
        metrics += [Metric(name, "occ", source=SIMULATED) for name in ("instructions", "l2_misses")]
    if flops:
        metrics.append(Metric("PAPI_DP_OPS", "occ", source="measured:papi:PAPI_DP_OPS"))
    columns = {"wall_time": 0, "cpu_time": 1, "instructions": 2, "l2_misses": 3, "PAPI_DP_OPS": 4}
    regions = [
        Region("loop" if place else "function", name, "a.c", "main", place, 10 * (place + 1), 10 * (place + 1) + 5)
        for place, name in enumerate(VALUES)
    ]
    values = np.array([*VALUES.values()])
    return Experiment(
        metrics=metrics,
        call_paths=[CallPath(each, 0 if place else None) for place, each in enumerate(regions)],
        locations=[Location("m", "n", rank, 0) for rank in range(2)],
        severities={each.name: np.repeat(values[:, columns[each.name], None], 2, axis=1) for each in metrics},
        notes=Notes(prices=prices, calibrated={"caches": "L1=32K/8/64 L2=1M/8/64", "cores": "8"} if prices else {}),
    )


def test_roofs_are_what_the_machine_was_calibrated_for() -> None:
    found = roofline_of(made(flops=True))
    assert found is not None
    operations, instructions = found["charts"]
    assert (operations["peak"], instructions["peak"]) == pytest.approx((2e10, 4e9))
    slopes = {each["name"]: each["bytes"] for each in instructions["slopes"]}
    assert slopes == pytest.approx(
        {
            "L3, one core reading": 1e11,
            "memory, one core alone": 1e10,
            "memory, per core, 8 cores busy": 2.5e9,
        }
    )
    assert operations["slopes"] == instructions["slopes"]
    assert found["lacking"] == []


def test_what_is_measured_by_itself_before_a_first_run_gives_the_roofs_of_one_core() -> None:
    few = {name: PRICES[name] for name in ("instruction_independent", "l2_miss_streamed", "memory_streamed")}
    found = roofline_of(made(few))
    assert found is not None
    assert [each["name"] for each in found["charts"][0]["slopes"]] == [
        "L3, one core reading",
        "memory, one core reading",
    ]
    assert found["charts"][0]["said"][-1].startswith(
        "The bandwidth that all cores share is not known: run autoanalyzer ca"
    )


def test_without_a_third_cache_there_is_no_roof_of_it() -> None:
    found = roofline_of(made({**PRICES, "memory_streamed": PRICES["l2_miss_streamed"] * 1.1}))
    assert found is not None
    assert not any(each["name"].startswith("L3") for each in found["charts"][0]["slopes"])


def test_points_lie_where_they_are_worked_out_by_hand_and_on_the_roof_they_reach(show: Show) -> None:
    prices = {**PRICES, "memory_byte_shared": 1e-9, "instruction_independent": 3e-10}  # stream reaches the lowest roof
    page = show(made(prices), "#t=roofline").page
    middles = page.eval_on_selector_all(
        ".roofline circle", "all => all.map((each) => ['cx', 'cy', 'r'].map((name) => Number(each.getAttribute(name))))"
    )
    assert len(middles) == 2  # small has no misses
    (x, y, large), (right, up, little) = middles
    assert (x < right, y > up, large > little) == (True, True, True)
    slopes = page.eval_on_selector_all(".roofline .roof", "all => all.map((each) => each.getAttribute('d'))")
    assert len(slopes) == 4
    (start, end) = [tuple(map(float, each)) for each in re.findall(r"[ML]([\d.]+) ([\d.]+)", slopes[2])]
    assert y == pytest.approx(start[1] + (x - start[0]) / (end[0] - start[0]) * (end[1] - start[1]), abs=0.01)
    assert "1 of 3 regions is not drawn" in page.inner_text("#panel")
    assert page.text_content(".roofline .label >> nth=0") == "a.c:20"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_region_is_told_of_and_selected_by_mouse_and_by_keys(scheme: str, show: Show) -> None:
    shown = show(made(), "#t=roofline", color_scheme=scheme)
    page = shown.page
    page.locator(".roofline circle").first.hover()
    shown.settle()
    assert page.inner_text(".told") == TOLD
    page.locator(".roofline circle").first.click()
    shown.settle()
    assert shown.selected()["program"] == ["stream"]
    assert page.locator(".roofline circle.selected").count() == 1
    page.focus(".roofline")
    shown.press("ArrowRight", "Enter")
    assert shown.selected()["program"] == ["solve"]
    assert page.get_attribute(".roofline", "aria-label").endswith(
        "3.0e9/s, 1000 per byte; 75 % of what the core allows"
    )
    page.click("#panel table button:has-text('small')")
    shown.settle()
    assert shown.selected()["program"] == ["small"]
    assert shown.copied_rows()[1] == ["stream", "a.c:20", "0.6", "1", "1000000000"]
    assert "a.c:20" in shown.copied("SVG")
    assert shown.copied_picture()[0] > 3
    assert shown.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of_on_a_small_screen(scheme: str, show: Show) -> None:
    page = show(made(flops=True), "#t=roofline", color_scheme=scheme, bypass_csp=True, size=(390, 900)).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert faults(page, all_else=scheme == "light") == []


def test_what_is_known_of_a_part_of_the_ranks_is_not_divided_by_the_time_of_all() -> None:
    experiment = made()
    values = {metric.name: experiment.exclusive(metric.name).copy() for metric in experiment.metrics}
    values["instructions"][1, 1] = np.nan  # of stream, on rank 1
    given = dataset_of(experiment.replaced(severities=values))
    numbers = {key: asdict(packed) for key, packed in given.numbers.items()}
    asked = orjson.dumps({"head": given.head, "numbers": numbers, "name": "instruction_rate"})
    ran = subprocess.run(["node", RATES], input=asked, capture_output=True, check=True)
    rates = orjson.loads(ran.stdout)
    assert (rates["stream"], rates["solve"], rates["small"]) == (None, 3e9, 2e9)


def test_the_table_has_the_rates_of_each_region(show: Show) -> None:
    page = show(made(flops=True), "#t=roofline").page
    titles = page.eval_on_selector_all("#panel th", "all => all.map((each) => each.textContent)")
    rows = page.eval_on_selector_all("#panel tbody tr", "all => all.map((a) => [...a.cells].map((b) => b.textContent))")
    assert page.locator(".roofline").count() == 2
    stream = dict(zip(titles, rows[0], strict=True))
    assert stream == {
        "region": "stream",
        "source": "a.c:20",
        "time": "60 %",
        "l2_mpki": "15.6",
        "instruction_rate": "1.0e9/s",
        "memory_rate": "1 GB/s",
        "instruction_intensity": "1",
        "flop_rate": "5.0e8/s",
        "arithmetic_intensity": "0.5",
    }
    assert [row[0] for row in rows] == ["stream", "solve", "small"]
    assert rows[2][titles.index("memory_rate")] == "0 B/s"


def test_what_is_lacking_is_said_and_by_what_command_it_comes(show: Show) -> None:
    page = show(made(counted=False), "#t=roofline").page
    said = page.inner_text("#panel")
    assert page.locator(".roofline, #panel table").count() == 0
    assert "To count instructions and cache misses on any machine, use autoanalyzer run --counters simulated." in said
    assert "PAPI_DP_OPS" in said


def test_without_a_calibration_points_are_drawn_without_roofs(show: Show) -> None:
    page = show(made({}), "#t=roofline").page
    assert (page.locator(".roofline circle").count(), page.locator(".roof").count()) == (2, 0)
    assert "No roof for bandwidth and peak instructions, because the machine of this run was not calibrated" in (
        page.inner_text("#panel")
    )


def test_what_a_rate_is_said_to_be_is_what_it_was_computed_from() -> None:
    found = roofline_of(made(flops=True))
    assert found is not None
    said = {each["name"]: each["about"] for each in found["derived"]}
    assert said["counted_time"] == "CPU time: cpu_time"
    assert said["memory_bytes"] == "bytes that L2 misses fetch from L3 or memory: 64 * l2_misses"


@pytest.mark.parametrize("operation", [mean, merge, maximum])
def test_what_is_computed_from_differences_has_none_and_from_runs_has(operation: Callable[..., Experiment]) -> None:
    change = difference(made(), made({}))
    assert roofline_of(operation(change, change)) is None
    found = roofline_of(operation(made(), made()))
    assert found is not None
    assert len(found["charts"]) == 1


def test_a_difference_has_none(show: Show) -> None:
    one, other = made(), made({})
    assert roofline_of(difference(one, other)) is None
    page = show(one, "#e=difference&t=roofline", of_page={"against": (other, "other")}).page
    assert page.inner_text("#panel") == "A difference has no rates; the page of each run shows its rates."
