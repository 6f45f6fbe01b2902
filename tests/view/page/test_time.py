"""The Time tab in use: by mouse, by keys, by a link, in the dark, on a small screen, on paper."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

from autoanalyzer.experiment import Metric
from autoanalyzer.experiment.trace import load_trace, series_of
from autoanalyzer.timelines.warping import warp
from autoanalyzer.view.page import Interval, Line, Recording, TimeMarks, Warping

from .conftest import faults
from .test_page import HOSTILE, SIZES
from .traces import a_trace, profile, saved, time_line

MARKS = TimeMarks(
    [Interval(4, 6, "more MPI time", "anomaly"), Interval(1, 2.5, "as in the other run", "carried over")],
    [Line("mpi_time", "a line", np.array([0.0, 5.0, 10.0]), np.array([0.0, 1.0, 0.0]))],
)


@pytest.fixture
def shown(show, tmp_path):
    """Return a function that opens the Time tab of a run with marks."""

    def opened(fragment="", *, marks=None, recordings=None, **options):
        of_trace = recordings or [Recording(saved(tmp_path), "out", "the run", marks or TimeMarks())]
        found = show(profile(), f"#t=time{fragment}", of_page={"recordings": of_trace}, **options)
        found.page.wait_for_selector(".chart canvas")
        found.settle()
        return found

    return opened


def warped(tmp_path) -> Warping:
    x, y = (
        series_of(load_trace(saved(tmp_path, a_trace(4, samples))), "mpi_time", f"{samples}") for samples in (50, 80)
    )
    return Warping(x, y, warp(x.values, y.values))


# The colours of the strip at several shares of its width, and the colour of a region in its legend.
AT = """(parts) => {
  const canvas = document.querySelector('.chart canvas');
  const [over, box] = [canvas.parentElement.querySelector('.u-over'), canvas].map((e) => e.getBoundingClientRect());
  const row = canvas.getContext('2d').getImageData(0, over.top - box.top + 8, canvas.width, 1).data;
  const places = parts.map((part) => 4 * Math.round(over.left - box.left + part * over.width));
  return places.map((x) => [...row.slice(x, x + 3)].join());
}"""
SWATCH = """(name) => {
  const item = [...document.querySelectorAll('.swatches li')].find((each) => each.textContent.includes(name));
  return getComputedStyle(item.querySelector('.swatch')).backgroundColor.match(/\\d+/g).join();
}"""


def titles(found) -> list[str]:
    return found.page.eval_on_selector_all(".time-line h3", "all => all.map((each) => each.firstChild.textContent)")


def drag(found, start: float, end: float, chart: int = 1) -> None:
    """Drag over a chart, from one share of its width to another."""
    found.page.locator(".charts").scroll_into_view_if_needed()
    box = found.page.locator(".chart .u-over").nth(chart).bounding_box()
    middle = box["y"] + box["height"] / 2
    found.page.mouse.move(box["x"] + start * box["width"], middle)
    found.page.mouse.down()
    found.page.mouse.move(box["x"] + end * box["width"], middle, steps=3)
    found.page.mouse.up()
    found.settle()


def cursors(found) -> list[float]:
    """Return the position of the cursor in each chart, as a share of its width."""
    places = "each.querySelector('.u-cursor-x').getBoundingClientRect()"
    whole = "each.getBoundingClientRect()"
    part = f"all => all.map((each) => ({places}.right - {whole}.left) / {whole}.width)"
    return [*found.page.eval_on_selector_all(".u-over", part)]


def view(found) -> list[float]:
    return [float(each) for each in found.page.eval_on_selector_all(".moment", "all => all.map((each) => each.value)")]


def test_without_a_trace_the_page_draws_nothing_and_says_how_to_record_one(show):
    found = show(profile(), "#t=time")
    assert "autoanalyzer run --trace" in found.page.inner_text("#panel")
    assert ".u-cursor-x" not in found.file.read_text()
    assert found.page.evaluate("typeof uPlot") == "undefined"


def test_charts_name_metric_and_unit_and_say_what_they_show(shown):
    found = shown()
    assert titles(found) == ["Regions", "mpi_time per second"]
    assert "mean 0.2, from 0 to 1 (at" in found.page.inner_text(".time-line >> nth=1")
    assert re.findall(r"\w\S* +a.c:3, \d+ %|MPI_Send +\d+ %", found.page.inner_text(".swatches")) == [
        "loop@3 a.c:3, 80 %",
        "MPI_Send 20 %",
    ]
    assert "Minimum, mean and maximum of 4 ranks, in steps of 100 ms" in found.page.inner_text("#panel")
    rows = found.copied_rows()
    titles_of_values = [f"{each} of mpi_time (sec/sec)" for each in ("minimum", "mean", "maximum")]
    assert rows[0] == ["from (s)", "to (s)", "region", *titles_of_values]
    assert (rows[1][2:], rows[50][2:]) == (["loop@3", "0", "0", "0"], ["MPI_Send", "1", "1", "1"])
    assert found.copied_picture()[0] > 3
    assert found.complaints == []


def test_metrics_are_chosen_from_a_list(shown):
    found = shown()
    found.page.click(".choice summary >> nth=0")
    found.page.get_by_role("checkbox", name="mpi_bytes").check()
    found.page.get_by_role("checkbox", name="resident_memory").check()
    found.settle()
    assert titles(found) == ["Regions", "mpi_time per second", "mpi_bytes per second", "resident_memory"]
    assert "to 8 MB/s" in found.page.inner_text(".time-line >> nth=2")
    assert "Always 0, or unknown: io_bytes" in found.page.inner_text("#panel")
    for _ in range(3):
        found.page.locator(".boxes input:checked").first.uncheck()
    found.settle()
    assert titles(found) == ["Regions"]
    assert found.complaints == []


def test_dragging_zooms_and_shows_commands_that_can_be_run(shown, here, tmp_path):
    found = shown()
    drag(found, 0.3, 0.7)
    start, end = view(found)
    assert (start, end) == (pytest.approx(3, abs=0.1), pytest.approx(7, abs=0.1))
    found.page.mouse.move(0, 0)
    found.settle()
    assert "mean 0.5" in found.page.inner_text(".time-line >> nth=1")
    align, correlate = found.page.locator(".commands code").all_inner_texts()
    span = f"{start:.2f}:{end:.2f}"
    assert correlate == f"autoanalyzer correlate --target mpi_time --interval {span} out"
    assert align == f"autoanalyzer align --metric mpi_time --interval {span} out OTHER"
    for name in ("out", "again"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name)
    assert here(*shlex.split(align.replace("OTHER", "again"))[1:]).returncode == 0
    found.page.click("text=the whole run")
    found.settle()
    assert view(found) == [0, 10]
    assert found.page.locator(".commands").count() == 0
    assert found.complaints == []


def test_the_whole_run_is_an_interval_of_its_trace(shown):
    found = shown()
    drag(found, 0.0, 0.999)
    drag(found, 0.0, 1.2)
    assert 0 <= view(found)[0] < view(found)[1] <= 10


def test_pointing_moves_one_cursor_through_all_charts(shown):
    found = shown("&tm=mpi_time,mpi_bytes")
    found.page.locator(".charts").scroll_into_view_if_needed()
    box = found.page.locator(".chart .u-over").nth(2).bounding_box()
    found.page.mouse.move(box["x"] + 0.5 * box["width"] + 4, box["y"] + 20)
    found.settle()
    told = found.page.inner_text(".told")
    assert "s: MPI_Send; mpi_time mean 1, from 1 to 1; mpi_bytes mean 3.75 MB/s, from 1 MB/s to 8 MB/s" in told
    places = found.page.eval_on_selector_all(".u-cursor-x", "all => all.map((each) => each.style.transform)")
    lefts = [float(re.search(r"\(([\d.]+)px", each)[1]) for each in places]
    assert len(lefts) == 3
    assert max(lefts) - min(lefts) < box["width"] / 100
    assert "all 4 ranks in main / MPI_Send" in found.page.inner_text(".time-line >> nth=0")


def test_rows_of_the_regions_are_of_single_ranks(shown):
    found = shown()
    found.page.locator(".charts").scroll_into_view_if_needed()
    box = found.page.locator(".chart .u-over").first.bounding_box()
    found.page.mouse.move(box["x"] + 20, box["y"] + box["height"] - 6)
    found.settle()
    assert "rank 3 in main / loop@3" in found.page.inner_text(".time-line >> nth=0")


def test_zoomed_in_parts_of_a_step_are_drawn_named_and_selected_alike(shown, monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.page.time_lines._STEPS", 4)  # of 2.5 s each
    found = shown("&ti=2.5:5")
    page = found.page
    page.locator(".charts").scroll_into_view_if_needed()
    box = page.locator(".chart .u-over").first.bounding_box()
    parts = ((0.1, "loop@3", "2.66"), (0.9, "MPI_Send", "4.84"))
    assert page.evaluate(AT, [0.1, 0.9]) == [page.evaluate(SWATCH, region) for _, region, _ in parts]
    for part, region, moment in parts:
        page.mouse.move(box["x"] + part * box["width"], box["y"] + 5)
        found.settle()
        assert page.inner_text(".time-line h3 >> nth=0").endswith(f"all 4 ranks in main / {region}")
        assert page.inner_text(".told").startswith(f"{moment} s: {region};")
        page.mouse.down()
        page.mouse.up()
        found.settle()
        assert found.selected()["program"] == [region]
    page.mouse.move(0, 0)
    page.locator(".chart").first.focus()
    for key, region in (("Home", "loop@3"), ("End", "MPI_Send")):
        found.press(key)
        assert page.inner_text(".time-line h3 >> nth=0").endswith(f"all 4 ranks in main / {region}")
        found.press("Enter")
        assert found.selected()["program"] == [region]
    assert re.findall(r"\d+ %", page.inner_text(".swatches")) == ["62 %", "38 %"]
    assert found.complaints == []


def test_a_region_of_the_legend_is_selected_in_the_trees(shown):
    found = shown()
    found.page.click(".swatches >> text=MPI_Send")
    found.settle()
    assert found.selected()["program"] == ["MPI_Send"]


def test_the_list_of_marks_stands_below_its_title(shown):
    found = shown(marks=MARKS)
    title = found.page.locator("h3:has-text('Marked')").bounding_box()
    listed = found.page.locator("h3:has-text('Marked') + ul").bounding_box()
    assert listed["y"] >= title["y"] + title["height"]


def test_keys_move_select_and_zoom(shown):
    found = shown()
    found.page.locator(".chart").nth(1).focus()
    found.press("Home", "ArrowRight", "ArrowRight")
    assert found.page.inner_text(".told").startswith("0.25 s: loop@3; mpi_time mean 0")
    found.press("PageDown", "ArrowLeft")
    assert found.page.inner_text(".told").startswith("1.15 s")
    found.press(*["Shift+ArrowRight"] * 4)
    assert found.page.inner_text(".told") == "1.10 to 1.60 s is selected; Enter zooms"
    assert "--interval 1.10:1.60 out" in found.page.inner_text(".commands")
    found.press("Enter")
    assert view(found) == [1.1, 1.6]
    found.press("End")
    assert found.page.inner_text(".told").startswith("1.55 s")
    found.press("Backspace")
    assert view(found) == [0, 10]
    assert found.page.evaluate("document.activeElement.className") == "chart"
    assert found.complaints == []


def test_the_mouse_that_lies_over_a_chart_does_not_disturb_the_keys(shown):
    found = shown()
    drag(found, 0.3, 0.7)
    found.page.locator(".chart").nth(1).focus()
    found.press("Home", *["Shift+ArrowRight"] * 10, "Enter", "End")
    assert view(found) == [3.0, 4.1]
    assert cursors(found) == pytest.approx([1.05 / 1.1] * 2, abs=0.01)
    found.press(*["Shift+ArrowLeft"] * 2)
    assert found.page.inner_text(".told").startswith("3.80 to 4.10 s")
    found.press("Enter", "ArrowRight", "ArrowLeft")
    assert cursors(found) == pytest.approx([1 / 6] * 2, abs=0.01)
    found.press("Backspace")
    assert cursors(found) == pytest.approx([0.385] * 2, abs=0.01)
    found.press("ArrowRight")
    assert found.page.inner_text(".told").startswith("3.95 s")


def test_moments_are_typed_too(shown):
    found = shown()
    found.page.fill(".moment >> nth=0", "2.5")
    found.page.press(".moment >> nth=0", "Enter")
    found.page.fill(".moment >> nth=1", "99")
    found.page.press(".moment >> nth=1", "Tab")
    found.settle()
    assert view(found) == [2.5, 10]


def test_a_link_shows_the_same_charts_and_interval(shown, show):
    found = shown("&tm=mpi_bytes,mpi_time&ti=2:7.5")
    assert titles(found) == ["Regions", "mpi_bytes per second", "mpi_time per second"]
    again = show(profile(), "#" + found.page.url.partition("#")[2], file=found.file)
    again.page.wait_for_selector(".chart canvas")
    again.settle()
    assert (titles(again), view(again)) == (titles(found), [2, 7.5])
    assert again.page.url == found.page.url


@pytest.mark.parametrize(
    "fragment", ["&ti=7:2", "&ti=-5:700", "&ti=a:b", "&tr=9", "&tr=x", "&tm=none,%E0%A4%A", "&tr=-1"]
)
def test_a_broken_link_shows_what_it_can(fragment, shown):
    found = shown(fragment)
    assert view(found) == [0, 10]
    assert found.complaints == []


def test_the_charts_are_told_in_numbers(shown):
    found = shown("&ti=3:7")
    found.page.click("text=The charts in numbers")
    rows = [each.split("\t") for each in found.page.locator(".choice tbody tr").all_inner_texts()]
    assert len(rows) == 20
    assert rows[0] == ["3.00", "3.20", "loop@3", "0 (0 – 0)"]
    assert rows[5] == ["4.00", "4.20", "MPI_Send", "1 (1 – 1)"]


def test_a_command_is_copied_or_selected(shown):
    found = shown("&ti=3:7")
    found.page.locator(".commands button").first.click()
    found.page.wait_for_selector(".commands [role=status]:not(:empty)")
    said = found.page.inner_text(".commands [role=status] >> nth=0")
    assert said == "copied" or found.page.evaluate("getSelection().toString()").startswith("autoanalyzer align")


def test_marks_are_drawn_and_named(shown, tmp_path):
    plain = shown()
    found = shown(marks=TimeMarks(MARKS.intervals, MARKS.lines, [warped(tmp_path)]))
    pixels = "() => document.querySelectorAll('.chart canvas')[1].toDataURL()"
    assert found.page.evaluate(pixels) != plain.page.evaluate(pixels)
    text = found.page.inner_text("#panel")
    assert "more MPI time anomaly, 4.00 to 6.00 s" in text
    assert "as in the other run carried over, 1.00 to 2.50 s" in text
    assert "a line" in text
    assert "50 samples of mpi_time in 50 and 80 in 80 form 80 pairs" in text
    assert found.page.locator("svg.warping").count() == 2
    found.page.click("text=more MPI time")
    found.settle()
    assert view(found) == [4, 6]
    assert found.complaints == []


def test_the_trace_of_the_counting_run_is_another_one(shown, tmp_path):
    recordings = [
        Recording(saved(tmp_path), "out", "the run"),
        Recording(saved(tmp_path, a_trace(2), "counting.trace.npz"), "out/counting.trace.npz", "the counting run"),
    ]
    found = shown("&ti=1:3", recordings=recordings)
    found.page.focus("#panel select >> nth=0")
    found.page.select_option("#panel select >> nth=0", label="the counting run")
    found.page.wait_for_selector("text=of 2 ranks")
    found.settle()
    assert found.page.evaluate("document.activeElement.tagName") == "SELECT"
    assert view(found) == [0, 10]
    drag(found, 0.5, 0.9)
    assert found.page.locator(".commands code").first.inner_text().endswith(" out/counting.trace.npz OTHER")
    assert found.complaints == []


def test_a_damaged_trace_is_told_of(show, tmp_path):
    file = saved(tmp_path)
    file.write_bytes(file.read_bytes()[:-50])
    found = show(profile(), "#t=time", of_page={"recordings": [Recording(file, "out", "the run")]})
    assert "no time lines of the run" in found.page.text_content(".caveats")
    assert "run --trace" in found.page.inner_text("#panel")


def test_hostile_names_are_text(shown, tmp_path):
    metrics = [Metric(name, "sec", description=name) for name in HOSTILE]
    names = [Interval(1, 2, name, name) for name in HOSTILE]
    lines = [Line(name, name, np.array([0.0, 1.0]), np.array([0.0, 1.0])) for name in HOSTILE]
    values = np.random.default_rng(3).random((100, 5))
    trace = a_trace()
    line = time_line(0)
    made = type(line)(line.begin, line.end, values, line.first, line.paths, line.visits, line.seconds, line.computing)
    hostile = type(trace)(metrics, trace.call_paths, trace.locations, trace.counts, lambda _: made)
    recording = Recording(saved(tmp_path, hostile), HOSTILE[0], HOSTILE[1], TimeMarks(names, lines))
    found = shown("&ti=1:3", recordings=[recording], size=(390, 900))
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    command = found.page.inner_text(".commands code >> nth=0")
    assert shlex.split(command)[-2] == HOSTILE[0]
    assert found.page.locator("img").count() == 0
    assert found.complaints == []


# Colours do not depend on the width.
@pytest.mark.parametrize(("scheme", "widths"), [("light", SIZES), ("dark", SIZES[1:2])])
def test_axe_finds_nothing_to_complain_of(scheme, widths, shown, tmp_path):
    marks = TimeMarks(MARKS.intervals, MARKS.lines, [warped(tmp_path)])
    found = shown("&ti=3:7&tm=mpi_time,mpi_bytes", marks=marks, color_scheme=scheme, bypass_csp=True)
    for summary in found.page.locator("#panel summary").all():
        summary.click()
    for width in widths:
        found.page.set_viewport_size({"width": width, "height": 900})
        found.settle()
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width
        assert faults(found.page, colours=width == SIZES[1], all_else=scheme == "light") == [], width


def test_what_is_printed_says_what_the_charts_show(shown, tmp_path):
    from pypdf import PdfReader  # noqa: PLC0415 - takes a tenth of a second of each worker of pytest

    found = shown()
    found.page.pdf(path=tmp_path / "page.pdf")
    text = " ".join(" ".join(page.extract_text() for page in PdfReader(tmp_path / "page.pdf").pages).split())
    assert "mpi_time per second mean 0.2, from 0 to 1" in text
