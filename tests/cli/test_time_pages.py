"""Pages of ``timeline``, ``align``, ``correlate`` and ``view`` mark findings in the time lines."""

import json

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, save
from autoanalyzer.experiment.trace import save_trace

from ..conftest import patient_page
from ..timelines.anomalies.work import run
from ..view.page.conftest import Shown


def profile(trace) -> Experiment:
    """Return the profile of a run from its time lines."""
    lines = [*trace.lines()]

    def of_path(metric):
        column = trace.column(metric.name)
        own = np.zeros((len(trace.call_paths), len(lines)))
        for rank, line in enumerate(lines):
            own[0, rank] = np.nansum(line.values[:, column])
        return own

    metrics = [each for each in trace.metrics if each.additive]
    return Experiment(
        metrics=metrics,
        call_paths=[CallPath(each.region, each.parent) for each in trace.call_paths],
        locations=[Location(each.machine, each.node, each.process, each.thread) for each in trace.locations],
        severities={metric.name: of_path(metric) for metric in metrics},
    )


@pytest.fixture
def recorded(here, tmp_path):
    """Write two runs of a program that suddenly becomes slower; the second run is slower throughout."""
    for name, seed, pace in (("one", 1, 0.006), ("two", 2, 0.012)):
        trace = run(seed, slower=lambda _rank, step: 0.8 * (step >= 150), pace=pace).trace
        (tmp_path / name).mkdir()
        save_trace(trace, tmp_path / name / "trace.npz")
        save(profile(trace), tmp_path / name / "experiment.cube")
    return here


@pytest.fixture
def marked(recorded, chromium, tmp_path):
    """Return the marks that a command's page lists, trace by trace."""

    def found(*words):
        done = recorded(*words)
        assert done.returncode == 0, done.stderr
        page = patient_page(chromium)
        shown, complaints = Shown(page, tmp_path / "o.html"), []
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(shown.file.as_uri() + ("#t=time" if words[0] == "view" else ""))
        page.wait_for_selector(".chart canvas")
        choice = page.locator("label:has-text('trace') select")
        traces = choice.locator("option").all_inner_texts() if choice.count() else [""]
        lists, pictures = [], []
        for number in range(len(traces)):
            if choice.count():
                choice.select_option(str(number))
                shown.settle()
            pictures.append(page.locator("svg.warping").count())
            lists.append(page.locator("h3:has-text('Marked') + ul li").all_inner_texts())
        titles = page.locator(".time-line h3 > span").all_inner_texts()
        legend = page.locator(".time-line .swatches li").all_inner_texts()
        page.close()
        assert complaints == []
        return {"traces": traces, "marked": lists, "titles": titles, "pictures": pictures, "legend": legend}

    return found


def test_changes_are_marked_in_all_runs_at_their_own_time(marked, recorded):
    page = marked("timeline", "one", "two", "--html", "o.html")
    (found,) = json.loads(recorded("timeline", "one", "two", "--json", "-").stdout)["anomalies"]
    assert page["traces"] == ["one", "two"]
    (first,), (second,) = page["marked"]
    assert page["titles"][:2] == ["Regions", "an entry of step ‹ main"]
    for text in (first, second):
        assert text.startswith("step ‹ main: each entry takes ")
        assert "on all ranks" in text
        assert "sudden change, " in text
    start, other = (float(text.rsplit("sudden change, ", 1)[1].split(" to ")[0]) for text in (first, second))
    assert start == pytest.approx(found["start"], abs=0.01)
    assert other == pytest.approx(2 * start, rel=0.1)


def test_the_page_of_a_run_marks_what_changes(marked):
    page = marked("view", "one", "-o", "o.html")
    ((text,),) = page["marked"]
    assert "sudden change" in text


def test_an_interval_is_marked_where_it_was_found_and_the_warp_drawn(marked):
    page = marked("align", "one", "two", "--metric", "cpu_time", "--interval", "1:1.5", "--html", "o.html")
    (first,), (second,) = page["marked"]
    assert first.startswith("the interval interval, 1")
    assert second.startswith("the interval of one interval, ")
    assert page["pictures"] == [0, 0]
    assert any(title.startswith("cpu_time") for title in page["titles"])
    words = ("--by", "warping", "--metric", "cpu_time", "--interval", "1:1.5", "--html", "o.html")
    warped = marked("align", "one", "two", *words)
    assert warped["traces"] == ["one", "two"]
    assert warped["pictures"] == [2, 0]


def test_the_targets_shape_and_segments_are_drawn(marked):
    page = marked("correlate", "--target", "cpu_time", "--interval", "0.5:2", "one", "two", "--html", "o.html")
    assert page["marked"][0][0].startswith("compared with cpu_time")
    page = marked("correlate", "--target", "cpu_time", "one", "--html", "o.html")
    assert "the shape that metrics are compared with" in page["legend"]
    assert any(each.startswith("the target's segments, ") for each in page["legend"])


@pytest.mark.parametrize(
    "words",
    [
        ("align", "t.csv", "one", "--metric", "x", "--interval", "1:2"),
        ("correlate", "--target", "x", "t.csv"),
    ],
)
def test_without_a_profile_there_is_no_page(recorded, tmp_path, words):
    rows = "".join(f"{time},0,0,{time % 3},{time}\n" for time in range(1, 20))
    (tmp_path / "t.csv").write_text("time,process,thread,x,cpu_time\n" + rows)
    if words[0] == "align":
        (tmp_path / "u.csv").write_text("time,process,thread,x,cpu_time\n" + rows)
        words = tuple("u.csv" if word == "one" else word for word in words)
    done = recorded(*words, "--html", "o.html")
    assert done.returncode == 2
    assert (
        b"--html: expected a trace written by run --trace, with experiment.cube in the same folder, found t.csv"
        in done.stderr
    )
    assert not (tmp_path / "o.html").exists()
