"""Selections limit what is shown: a rank, a time, a region with its callers; each takes two clicks."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.experiment import Builder
from autoanalyzer.experiment.selection import select
from autoanalyzer.view.browser import at_start, rows
from autoanalyzer.view.browser.written import written
from autoanalyzer.view.page import Recording

from ..conftest import OF_PROCESSES
from .conftest import SAMPLES
from .test_time import drag
from .traces import a_trace, profile, saved

RAYS = {"folders": [SAMPLES / "rays"]}
CHIP = ".filter"
TABLE = "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"


def click_rank(shown, rank: int) -> None:
    shown.page.click(f"#tree-system .row:has-text('rank {rank}')")
    shown.settle()


def values(shown, dimension: str) -> dict[str, str]:
    return {row["label"]: row["value"] for row in shown.rows()[dimension]}


def test_a_rank_limits_metrics_call_paths_profile_and_source_until_its_chip_is_closed(experiments, show):
    experiment = experiments["rays"]
    shown = show(experiment, of_page=RAYS)
    shown.tall()
    before, costs = shown.rows(), shown.page.inner_text(".source .line.first .cost")
    click_rank(shown, 3)
    assert shown.page.inner_text(f"{CHIP} span") == "only rank 3"
    alone = at_start(select(experiment, processes=[3]))
    for dimension in ("metrics", "program"):
        expected = {
            row.label: written(row.value, row.unit)[0] for row in rows(alone, dimension) if row.state != "folded"
        }
        found = values(shown, dimension)
        same = expected.keys() & found.keys()
        assert len(same) > 3
        assert {label: found[label] for label in same} == {label: expected[label] for label in same}
    assert shown.rows()["system"] != []
    assert values(shown, "system") == {row["label"]: row["value"] for row in before["system"]}
    assert shown.page.inner_text(".source .line.first .cost") != costs
    shown.press("2")
    of_rank = shown.page.eval_on_selector_all("#panel tbody tr", TABLE)
    again = show(experiment, "#" + shown.page.url.partition("#")[2], file=shown.file)
    assert again.page.inner_text(f"{CHIP} span") == "only rank 3"
    assert again.rows() == shown.rows()
    shown.page.click(f"{CHIP} button")
    shown.settle()
    assert shown.page.locator(CHIP).count() == 0
    assert shown.page.eval_on_selector_all("#panel tbody tr", TABLE) != of_rank
    assert values(shown, "program") == {row["label"]: row["value"] for row in before["program"]}
    assert shown.complaints == []


@pytest.fixture
def traced(show, tmp_path):
    """Return a page with time lines: all ranks are in MPI_Send from 4 to 6 s, and in loop@3 before and after it."""
    recordings = [Recording(saved(tmp_path), "out", "the run", is_of_profile=True)]
    return lambda fragment: show(profile(), fragment, of_page={"recordings": recordings})


def test_an_interval_of_time_limits_all_trees_until_its_chip_is_closed(traced):
    shown = traced("#t=time&m=mpi_time")
    whole = {dimension: values(shown, dimension) for dimension in ("program", "system")}
    shown.page.fill(".moment >> nth=0", "3.5")
    shown.page.press(".moment >> nth=0", "Enter")
    shown.settle()
    shown.page.fill(".moment >> nth=1", "6.5")
    shown.page.press(".moment >> nth=1", "Enter")
    shown.settle()
    assert shown.page.inner_text(f"{CHIP} span") == "only 3.50 to 6.50 s"
    assert shown.selected()["metrics"] == ["wall_time"]
    assert values(shown, "program") == {"main": "0 s", "loop@3": "4 s", "MPI_Send": "8 s"}
    assert values(shown, "metrics")["visits"] == "not measured"
    assert "In the interval, only wall time is known" in shown.page.inner_text("main")
    click_rank(shown, 3)
    assert shown.page.locator(f"{CHIP} span").all_inner_texts() == ["only rank 3", "only 3.50 to 6.50 s"]
    assert values(shown, "program") == {"main": "0 s", "loop@3": "1 s", "MPI_Send": "2 s"}
    again = traced("#" + shown.page.url.partition("#")[2])
    assert again.rows() == shown.rows()
    shown.press("2")
    profiled = shown.page.eval_on_selector_all("#panel tbody tr", TABLE)
    assert [row[0] for row in profiled if "MPI_Send" in row] == ["2 s"]
    for chip in ("show all ranks", "show the whole run"):
        shown.page.click(f"{CHIP} button[aria-label='{chip}']")
        shown.settle()
    shown.go("#t=time&m=mpi_time")
    assert shown.page.locator(CHIP).count() == 0
    assert {dimension: values(shown, dimension) for dimension in ("program", "system")} == whole
    assert shown.complaints == again.complaints == []


@pytest.mark.parametrize(("start", "loop", "send"), [(3.06, "280 ms", "0 s"), (3.95, "200 ms", "80 ms")])
def test_a_part_of_a_step_counts_by_its_length(traced, start, loop, send):
    shown = traced(f"#t=time&ti={start}:{start + 0.07}")
    assert values(shown, "program") == {"main": "0 s", "loop@3": loop, "MPI_Send": send}


def test_a_link_to_an_interval_with_another_metric_shows_the_time(traced):
    shown = traced("#t=time&m=mpi_time&ti=3.5:6.5")
    assert shown.selected()["metrics"] == ["wall_time"]
    assert values(shown, "program")["MPI_Send"] == "8 s"


def test_a_finding_ends_the_interval(experiments, show):
    trace = Path(__file__).parents[2] / "data" / "rays.trace.npz"
    recordings = [Recording(trace, "out", "the run", is_of_profile=True)]
    shown = show(experiments["rays"], "#t=time&ti=0.5:1", of_page={"recordings": recordings})
    assert shown.page.locator(CHIP).count() == 1
    assert shown.click(".findings a")
    assert shown.page.locator(CHIP).count() == 0
    assert shown.selected()["metrics"] == ["cpu_time"]


def test_an_interval_of_another_run_or_of_ranges_of_ranks_limits_no_trees(show, tmp_path):
    for ranks, is_of_profile in ((4, False), (40, True)):
        file = saved(tmp_path, a_trace(ranks), f"{ranks}.npz")
        recordings = [Recording(file, "out", "a run", is_of_profile=is_of_profile)]
        shown = show(profile(ranks), "#t=time&m=wall_time&ti=3.5:6.5", of_page={"recordings": recordings})
        assert shown.page.locator(CHIP).count() == 0
        assert values(shown, "program")["loop@3"] == f"{8 * ranks} s"


def test_an_interval_limits_no_trees_if_the_profile_has_none_of_the_call_paths(show, tmp_path):
    recordings = [Recording(saved(tmp_path), "out", "the run", is_of_profile=True)]
    other = Builder()
    elsewhere = other.call_path("elsewhere")
    other.metric("wall_time", "sec")
    other.location(0)
    other.row("wall_time", elsewhere, [2.0])
    shown = show(other.experiment(), "#t=time&ti=3:6", of_page={"recordings": recordings})
    assert shown.page.locator(CHIP).count() == 0
    assert set(values(shown, "program").values()) == {"2 s"}


def test_a_finding_shows_its_ranks_and_limits_nothing(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    assert (shown.selected()["system"], shown.page.locator(CHIP).count()) == (["rank 3"], 0)


def test_a_click_on_the_time_strip_shows_what_ran_then_and_the_rank(show, tmp_path):
    recordings = [Recording(saved(tmp_path), "out", "the run")]
    shown = show(profile(), "#t=time", of_page={"recordings": recordings})
    shown.page.locator(".charts").scroll_into_view_if_needed()
    box = shown.page.locator(".chart .u-over").first.bounding_box()
    for part, region in ((0.5, "MPI_Send"), (0.1, "loop@3")):
        shown.page.mouse.click(box["x"] + part * box["width"], box["y"] + box["height"] - 6)
        shown.settle()
        assert (shown.selected()["program"], shown.selected()["system"]) == ([region], ["rank 3"])
    assert shown.page.inner_text(f"{CHIP} span") == "only rank 3"
    assert shown.complaints == []


def test_the_shares_of_regions_are_those_of_ranks_in_the_visible_time(show, tmp_path):
    recordings = [Recording(saved(tmp_path), "out", "the run")]
    shown = show(profile(), "#t=time", of_page={"recordings": recordings})
    shares = ".time-line:first-child .swatches li:has(.link) small"
    texts = "all => all.map((each) => each.textContent)"
    assert shown.page.eval_on_selector_all(shares, texts) == ["a.c:3, 80 %", "20 %"]
    drag(shown, 0.405, 0.5, chart=0)
    assert shown.page.eval_on_selector_all(shares, texts) == ["a.c:3, 0.0 %", "100 %"]


@pytest.fixture
def helper():
    """Return a function with two callers; most of its time is from the second one."""
    builder = Builder()
    main = builder.call_path("main")
    one, other = (builder.call_path(name, main) for name in ("setup", "solve"))
    few, most = (builder.call_path("helper", caller) for caller in (one, other))
    builder.metric("wall_time", "sec")
    for rank in range(3):
        builder.location(rank)
    builder.row("wall_time", few, [1.0, 1.0, 1.0])
    builder.row("wall_time", most, [2.0, 3.0, 4.0])
    return builder.experiment()


def test_who_calls_a_region_and_where_else_takes_two_clicks(helper, show):
    shown = show(helper)
    shown.tall()
    shown.page.click("#tree-program .row:has-text('helper')")
    shown.settle()
    shown.page.click("#tab-callers")
    shown.settle()
    assert shown.page.eval_on_selector_all("#panel tbody tr", TABLE) == [
        ["9 s", "75 %", "main › solve"],
        ["3 s", "25 %", "main › setup"],
    ]
    assert shown.copied_rows()[1:] == [["9", "main › solve"], ["3", "main › setup"]]
    shown.page.click("#panel tbody button >> nth=1")
    shown.settle()
    click_rank(shown, 2)
    assert shown.page.eval_on_selector_all("#panel tbody tr", TABLE)[0] == ["4 s", "80 %", "main › solve"]
    assert shown.complaints == []


def test_a_thread_has_no_values_of_its_process(experiments, show):
    shown = show(experiments[OF_PROCESSES])
    shown.tall()
    click_rank(shown, 1)
    shown.press("ArrowRight", "ArrowDown", "ArrowDown", "Enter")
    assert shown.page.inner_text(f"{CHIP} span") == "only thread 1.1"
    assert values(shown, "metrics") == {"wall_time": "3 s", "page_faults": "per rank", "peak_memory": "per rank"}
