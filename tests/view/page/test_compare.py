"""A page that compares two versions names regions as in the displayed source, and matches those of both versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.cli.pages import subject_of
from autoanalyzer.experiment import Builder, CallPath, Experiment, Location, Notes, Region
from autoanalyzer.experiment.metric import STORED_METRICS, UNTIMED_VISITS
from autoanalyzer.view.page import page_of

MAIN, SMALL, WORK = (
    Region("function", name, "a.c", name, 0, line, line + 9)
    for name, line in (("main", 1), ("small", 11), ("work", 21))
)


def version(lines: Sequence[int], seconds: Sequence[float], gone: float = 0.0) -> Experiment:
    """Return two ranks with loops of a function, which begin at these lines, and perhaps with another function."""
    builder = Builder()
    main = builder.call_path("main")
    work = builder.call_path(Region("function", "work", "a.c", "work", 0, lines[0] - 2, lines[-1] + 9), main)
    builder.metric("wall_time", "sec")
    for rank in range(2):
        builder.location(rank)
    for number, (line, each) in enumerate(zip(lines, seconds, strict=True)):
        loop = builder.call_path(Region("loop", f"loop@{line}", "a.c", "work", number, line, line + 5), work)
        builder.row("wall_time", loop, [each] * 2)
    if gone:
        path = builder.call_path(Region("function", "gone", "b.c", "gone", 0, 1, 9), main)
        builder.row("wall_time", path, [gone] * 2)
    return builder.experiment()


def test_regions_have_the_lines_of_the_source_that_is_shown_and_a_click_selects_the_same_region(show):
    before, now = version((10, 30, 50), (1, 2, 3), gone=1), version((30, 50, 70), (1, 5, 3))
    shown = show(now, "#t=compare", of_page={"against": (before, "before")})
    page = shown.page
    texts = page.locator(".changes tbody tr").all_inner_texts()
    assert [each.split()[:2] for each in texts] == [["loop@50", "a.c:50"], ["gone", "b.c:1"]]
    page.click(".changes .link >> nth=0")
    shown.settle()
    assert shown.selected()["program"] == ["loop@50"]
    assert [row["value"] for row in shown.rows()["program"] if row["selected"]] == ["10 s"]
    assert "Tables and charts show before minus after" not in page.inner_text("main")
    page.click("text=Show the difference in the trees")
    shown.settle()
    assert "Tables and charts show before minus after" in page.inner_text("main")
    assert shown.selected()["program"] == ["loop@50"]
    labels = [row["label"] for row in shown.rows()["program"]]
    assert labels == ["main", "work", "loop@50", "2 more", "gone"]  # the last two regions did not change
    page.click("text=Show this experiment in the trees")
    page.locator(".toolbar > label select").nth(1).select_option("flat")
    shown.settle()
    page.click(".changes .link >> nth=1")  # only the difference contains this region
    shown.settle()
    assert shown.selected()["program"] == ["gone"]
    shown.press("2")
    cells = [row.split("\t") for row in page.locator(".profile tbody tr").all_inner_texts()]
    shares = {name: share for _, share, *_, name, _ in cells}
    assert (shares["loop@50"], shares["gone"]) == ("-150 %", "50 %")  # shares of the sum, which is a loss
    assert shown.complaints == []


def with_small(seconds: Sequence[float], *, is_throttled: bool) -> Experiment:
    """Return a run in which a small function calls another, which main also calls; a throttled function has no time."""
    paths = [CallPath(MAIN), CallPath(SMALL, 0), *([] if is_throttled else [CallPath(WORK, 1)]), CallPath(WORK, 0)]
    metrics = [*STORED_METRICS[:2], *([UNTIMED_VISITS] if is_throttled else [])]
    untimed = [float(each.region == SMALL) for each in paths]
    values = {"visits": [1.0] * len(paths), "wall_time": seconds, UNTIMED_VISITS.name: untimed}
    return Experiment(
        metrics=metrics,
        call_paths=paths,
        locations=[Location("m", "n", 0)],
        severities={each.name: np.array(values[each.name])[:, None] for each in metrics},
        notes=Notes(program="app", throttled={SMALL.descriptor: "often"} if is_throttled else {}),
    )


@pytest.mark.parametrize("is_throttled", [False, True])
def test_of_two_runs_one_may_have_throttled_what_the_other_measured(is_throttled):
    measured, throttled = with_small([1, 2, 3, 4], is_throttled=False), with_small([3, 0, 7], is_throttled=True)
    run, other = (throttled, measured) if is_throttled else (measured, throttled)
    page = page_of(subject_of(run, Path("run.cube")), against=(other, "before"), folders=None)
    _, difference = page.experiments
    assert difference.head["there"] == ([0, 1, 2] if is_throttled else [0, 1, 2, 2])
    assert any("too small to measure separately" in each for each in difference.head["remarks"])


def test_warnings_name_both_runs_although_their_programs_have_one_name():
    run = with_small([1, 2, 3, 4], is_throttled=False)
    other = run.replaced(metrics=run.metrics[1:], severities={"wall_time": run.exclusive("wall_time")})
    page = page_of(subject_of(run, Path("run.cube")), against=(other, "before"), folders=None)
    (said,) = page.experiments[1].head["remarks"]
    assert said.startswith("visits: not in before")
