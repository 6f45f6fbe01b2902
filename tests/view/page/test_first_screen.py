"""What a reader sees first, without clicking or scrolling, on a small screen and on a phone."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.experiment import Builder
from autoanalyzer.view.page import Recording

from ...analyze.conftest import make_experiment
from .conftest import SAMPLES
from .traces import a_trace, profile, saved

__all__ = ["make_experiment"]

RAYS = {"folders": [SAMPLES / "rays"]}
SCREENS = {"a small screen": (1280, 800), "a phone": (390, 844)}
IN_VIEW = """([name, part]) => [...document.querySelectorAll(name)].filter((each) => each.textContent.includes(part))
  .map((each) => each.getBoundingClientRect())
  .some(({height, top, bottom, left, right}) =>
    height > 0 && top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth)"""

ALIGNED = """[...document.querySelectorAll(".tree")].every((tree) =>
  new Set([...tree.querySelectorAll(".value")].map((each) => Math.round(each.getBoundingClientRect().right))).size < 2
)"""


@pytest.mark.parametrize("screen", SCREENS)
def test_place_ranks_cause_remedy_gain_and_a_picture_are_there(screen, experiments, show):
    shown = show(experiments["rays"], "", of_page=RAYS, size=SCREENS[screen])
    shown.page.evaluate("scrollTo(0, 0)")
    for name, part in (
        (".findings .first a", "propagate.c:28"),
        (".findings .first p", "saves up to 623 ms (41 % of busy time)"),
        (".findings .first p", "rank 3: 1.49 s"),
        (".findings .first p", "to confirm: autoanalyzer run"),
        (".findings .first p", "of different cost"),
        (".findings .ranks svg", "rank 3"),
    ):
        assert shown.page.evaluate(IN_VIEW, [name, part]), part
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    number = "getComputedStyle(document.querySelector('.findings .first'), '::before').content"
    assert shown.page.evaluate(number) == "counter(finding)"  # other lines refer to this number


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(("cores", "transfer"), [(4, ["transfer efficiency 100 %"]), (2, [])])
def test_the_efficiency_and_its_factors_are_meters_in_view_and_low_ones_are_marked(
    screen, cores, transfer, make_experiment, show
):
    made = make_experiment(
        {"even": [1.0] * 3, "chain": [1.0] * 3, "wait": [0.0] * 3},
        mpi_time={"wait": [2.0] * 3},
        path_time={"even": [1.0, 0.0, 0.0], "chain": [0.9, 1.0, 1.1]},
    )
    shown = show(made.replaced(notes=replace(made.notes, processors=cores)), "", size=SCREENS[screen])
    said = [" ".join(each.split()) for each in shown.page.locator(".efficiencies > div").all_inner_texts()]
    assert said == ["parallel efficiency 50 %", "load balance 100 %", "serialisation efficiency 50 %", *transfer]
    assert shown.page.locator(".efficiencies > .low").count() == 2
    assert shown.page.evaluate(IN_VIEW, [".efficiencies > div", "serialisation"])
    assert "parallel efficiency 50 %" in shown.page.inner_text("header")
    shared = "trust busy time, not wall time: 3 ranks share 2 cores"
    assert (shared in shown.page.inner_text("header > .verdict >> nth=1")) == (cores == 2)
    if screen == "a small screen":
        wide = shown.page.eval_on_selector_all(
            ".efficiencies .part", "all => all.map((each) => each.width.baseVal.value)"
        )
        assert wide == [30, 60, 30, 60][: 3 + len(transfer)]


def test_without_a_critical_path_there_is_no_strip_of_efficiencies(experiments, show):
    assert show(experiments["profile"], "").page.locator(".efficiencies").count() == 0


def test_the_picture_of_the_first_finding_is_a_bar_for_each_rank_as_long_as_its_time(experiments, show):
    shown = show(experiments["rays"], of_page=RAYS)
    said = shown.page.eval_on_selector_all(".ranks text", "all => all.map((each) => each.textContent)")
    assert said[::2] == [f"rank {rank}" for rank in range(4)]
    times = [float(re.sub(" m?s", "", each)) / (1000 if "ms" in each else 1) for each in said[1::2]]
    widths = shown.page.eval_on_selector_all(
        ".ranks rect", "all => all.map((each) => Number(each.getAttribute('width')))"
    )
    assert np.array(widths) / max(widths) == pytest.approx(np.array(times) / max(times), abs=0.01)
    assert shown.page.inner_text(".ranks figcaption").startswith("CPU time outside MPI of each rank in propagate.c:28")
    assert shown.page.locator(".ranks .copies button").all_inner_texts() == ["SVG", "PNG"]
    assert all(each in shown.copied("SVG", ".ranks") for each in said)
    assert shown.copied_picture(within=".ranks")[0] > 3
    shown.go("n=1")
    in_tree = {row["label"]: row["value"] for row in shown.rows()["system"] if row["label"].startswith("rank")}
    assert dict(zip(said[::2], said[1::2], strict=True)) == in_tree


def test_the_picture_shows_the_values_that_the_text_is_about(experiments, show):
    """The file is another tool's, and its trees have no metric for time outside MPI."""
    shown = show(experiments["profile"], "", size=SCREENS["a small screen"])
    said = shown.page.inner_text(".findings .first")
    assert "thread (rank.thread) 3.0: 351 ms; threads 1.0, 2.0, 2.3, 2.8: 307-332 ms" in said
    titles = shown.page.eval_on_selector_all(".ranks rect title", "all => all.map((each) => each.textContent)")
    of_each = dict(each.removeprefix("thread ").split(": ") for each in titles)
    assert of_each["3.0"] == "351 ms"
    assert sorted(of_each[each] for each in ("1.0", "2.0", "2.3", "2.8"))[::3] == ["307 ms", "332 ms"]
    assert shown.page.inner_text(".ranks figcaption").startswith("wall time outside MPI of each thread in exch_qbc.f:1")


def test_of_a_file_without_counts_the_first_finding_says_that_cause_and_fix_are_unknown(experiments, show):
    for size in SCREENS.values():
        shown = show(experiments["profile"], "", size=size)
        unknown = "why: unknown, and no fix is known, because the file has no instruction counts"
        assert shown.page.evaluate(IN_VIEW, [".findings .first p", unknown])
    notes = shown.page.text_content(".caveats")
    assert "missing: I/O volume" in notes and "more warning" not in notes
    names = shown.page.locator(".findings .place").all_inner_texts()
    assert "MPI_Waitall, called from exch_qbc.f:1" in names  # and not in the file called MPI that Score-P writes
    assert shown.page.locator(".findings li:nth-child(3)").inner_text().split("\n")[0].count("z_solve.f:52") == 1
    shown.press("1")
    assert shown.page.locator("#panel .scale span").nth(1).inner_text() == "0"  # not the negative rounding error


def test_trees_and_picture_show_the_same_of_a_region_with_others_inside(show):
    """The program mostly waits in MPI, and another function has half of the region's busy time."""
    builder = Builder()
    main = builder.call_path("main")
    work = builder.call_path("work", main)
    inner, send = builder.call_path("inner", work), builder.call_path("MPI_Recv", work)
    for rank in range(4):
        builder.location(rank)
    rows = {"wall_time": (1, 1, 8), "mpi_time": (0, 0, 8), "cpu_time": (1, 1, 4), "mpi_cpu_time": (0, 0, 4)}
    for (name, values), above in zip(rows.items(), (None, "wall_time", None, "cpu_time"), strict=True):
        builder.metric(name, parent=above)
        for path, value in zip((work, inner, send), values, strict=True):
            builder.row(name, path, [float(value)] * 4)
    shown = show(builder.experiment(), "")
    bars = shown.page.eval_on_selector_all(".ranks text", "all => all.map((each) => each.textContent)")
    of_ranks = {row["label"]: row["value"] for row in shown.rows()["system"] if row["label"].startswith("rank")}
    assert dict(zip(bars[::2], bars[1::2], strict=True)) == of_ranks
    assert "of each rank in" in shown.page.inner_text(".ranks figcaption")


def test_a_difference_says_first_by_how_much_where_and_on_which_ranks(experiments, show):
    for name, size in SCREENS.items():
        shown = show(experiments["rays - rays_dynamic"], "", size=size)
        for element, part in (
            ("h1", "difference(rays"),
            (".verdict", "busy time: "),
            (".findings .first a", "propagate.c:28"),
            (".findings .first .saving", "than before"),
            (".findings .first p", "rank 3: "),
            (".findings .first p", "why: work moved from rank 3 to ranks 1-2"),
            (".findings .first p", "no fix is known, because this file has only differences"),
            (".findings .ranks text", "601 ms less"),
            (".findings .ranks figcaption", "compared with before"),
        ):
            assert shown.page.evaluate(IN_VIEW, [element, part]), (name, part)
        assert shown.page.evaluate(ALIGNED), name
    bars = shown.page.eval_on_selector_all(".ranks text", "all => all.map((each) => each.textContent)")
    in_tree = {row["label"]: row["value"] for row in shown.rows()["system"] if row["label"].startswith("rank")}
    assert f"{in_tree['rank 3']} less" == f"▼{bars[bars.index('rank 3') + 1]}"
    assert "notes on this difference" in shown.page.inner_text("body")
    shown.press("5")
    assert shown.page.inner_text("#panel").startswith("A difference has neither statistics nor an account")


def test_of_a_trace_the_regions_of_each_rank_over_time_are_below_the_findings(show, tmp_path):
    recordings = [Recording(saved(tmp_path), "out", "the run")]
    for name, size in SCREENS.items():
        shown = show(profile(), "", of_page={"recordings": recordings}, size=size)
        for element, part in (
            ("svg[aria-label^='Regions over time']", ""),
            (".key li", "a.c:3 80 %"),
            ("li", "rank 3"),
        ):
            assert shown.page.evaluate(IN_VIEW, [f".time-strip {element}", part]), (name, part)
        assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    spans = shown.page.eval_on_selector_all(
        ".time-strip > svg path", "all => all.map((each) => each.getAttribute('d'))"
    )
    assert [each[:31] for each in spans] == ["M0 0h40v.9h-40zM60 0h40v.9h-40z", "M40 0h20v.9h-20zM40 1h20v.9h-20"]
    assert [each.count("M") for each in spans] == [2 * 4, 4]
    many = [Recording(saved(tmp_path, a_trace(40), "many.npz"), "out", "the run")]
    shown = show(profile(), "", of_page={"recordings": many}, size=SCREENS["a small screen"])
    names = shown.page.locator(".time-strip > ol li").all_inner_texts()
    assert names == ["rank 0", "ranks 38-39"]  # 32 rows are too low for all names
    assert shown.page.locator(".time-strip > svg").bounding_box()["height"] <= 100
    assert shown.complaints == []


def test_many_ranks_are_columns_with_a_scale_and_whole_numbers(show):
    builder = Builder()
    main = builder.call_path("main")
    work = builder.call_path("work", main)
    for rank in range(400):
        builder.location(rank)
    for name, above in (("wall_time", None), ("cpu_time", None), ("mpi_cpu_time", "cpu_time")):
        builder.metric(name, parent=above)
        builder.row(name, work, [0.0 if above else 2.0 if rank == 399 else 1.0 for rank in range(400)])
    shown = show(builder.experiment(), "")
    said = shown.page.eval_on_selector_all(".ranks text", "all => all.map((each) => each.textContent)")
    assert (said[:3], said[-1]) == (["2 s", "0", "0"], "rank")
    assert all(each.isdecimal() for each in said[2:-1])
    heights = shown.page.eval_on_selector_all(
        ".ranks rect", "all => all.map((each) => Number(each.getAttribute('height')))"
    )
    assert 100 < len(heights) <= 240
    assert shown.page.inner_text(".ranks figcaption").endswith("each column shows the largest value of 2 ranks")
    assert heights[-1] == max(heights) == pytest.approx(2 * heights[0], abs=0.2)


def test_findings_after_the_first_are_two_lines_at_most_until_one_is_unfolded(experiments, show):
    shown = show(experiments["profile"], "", size=SCREENS["a small screen"])
    heights = shown.page.eval_on_selector_all(
        ".findings li:not(.first)", "all => all.map((each) => each.getBoundingClientRect().height)"
    )
    assert len(heights) > 3
    assert max(heights) < 60
    shown.page.click(".findings li:not(.first) summary >> nth=0")
    assert shown.page.locator(".findings li:not(.first)").first.bounding_box()["height"] > 60


def test_no_value_covers_what_is_beside_it_and_tabs_are_in_one_row(experiments, show):
    shown = show(experiments["profile"], "", size=SCREENS["a small screen"])
    wide = "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
    assert shown.page.eval_on_selector_all(".row .value:not(.missing)", wide) == []
    shown.press("m")
    tops = shown.page.eval_on_selector_all(".tabs button", "all => all.map((each) => each.getBoundingClientRect().top)")
    assert len({*tops}) == 1
