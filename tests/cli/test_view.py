"""``autoanalyzer view`` writes a page, reports what it wrote, and refuses what it cannot do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autoanalyzer.experiment import save

from ..view.page.traces import a_trace, profile, saved

DATA = Path(__file__).parents[1] / "data"
SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture
def run(tool, here):
    shutil.copy(DATA / "rays.cube.gz", tool.folder)
    shutil.copy(DATA / "rays_dynamic.cube.gz", tool.folder)
    return lambda *words: here("view", *map(str, words))


def test_the_page_has_the_verdict_the_source_and_what_statistics_find(run, tool):
    done = run("rays.cube.gz", "--source", SAMPLES / "rays", "-o", "report.html")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"wrote report.html: ")
    text = (tool.folder / "report.html").read_text()
    assert "propagate.c:28" in text
    assert "Similar locations: hierarchy" in text
    assert "Redundant metrics: correlation" in text
    assert "These clusters are based on 1 metric of propagate.c:28; " in text
    assert "clusters, on compute_time over all regions." in text
    assert "as one group" not in text
    assert " add --sample" not in text


def test_the_same_experiment_gives_the_same_page(run, tool):
    for name in ("one.html", "two.html"):
        assert run("rays.cube.gz", "--against", "rays_dynamic.cube.gz", "-o", name).returncode == 0
    assert (tool.folder / "one.html").read_bytes() == (tool.folder / "two.html").read_bytes()


def test_sources_that_were_not_found_are_named_with_the_way_out(run):
    done = run("rays.cube.gz", "-o", "report.html")
    assert b"autoanalyzer: found no source for rays.c" in done.stderr
    assert b"name the folder of the sources with --source DIR" in done.stderr
    assert run("rays.cube.gz", "--no-source", "-o", "report.html").stderr == b""


def test_the_page_of_a_run_with_traces_has_its_time_lines(run, tool, browse):
    folder = tool.folder / "out of it"
    folder.mkdir()
    save(profile(), folder / "experiment.cube")
    assert run(folder, "-o", "without.html").returncode == 0
    saved(folder)
    saved(folder, a_trace(2), "counting.trace.npz")
    assert run("out of it", "-o", "with.html").returncode == 0
    assert run("out of it/experiment.cube", "-o", "again.html").returncode == 0
    without, page, again = (tool.folder / f"{name}.html" for name in ("without", "with", "again"))
    assert page.read_bytes() == again.read_bytes()
    assert without.stat().st_size + 50_000 < page.stat().st_size < without.stat().st_size + 100_000
    assert browse(page).complaints == []


def test_a_trace_beside_another_experiment_is_not_its_own(run, tool):
    saved(tool.folder)
    assert run("rays.cube.gz", "-o", "report.html").returncode == 0
    assert ".u-cursor-x" not in (tool.folder / "report.html").read_text()


def test_a_page_goes_to_standard_output_alone(run):
    done = run("rays.cube.gz", "--no-source", "-o", "-")
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert done.stdout.endswith(b"</html>\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rays.cube.gz"], "expected a terminal to browse in, found none; to write a page, add -o report.html"),
        (["rays.cube.gz", "-o", "rays.cube.gz"], "this file is an input"),
        (["rays.cube.gz", "-o", "none/such.html"], "expected a file in an existing folder"),
        (["none.cube", "-o", "x.html"], "none.cube"),
        (["rays.cube.gz", "--against", "none.cube", "-o", "x.html"], "none.cube"),
        (["rays.cube.gz", "--flat", "-o", "x.html"], "--flat is only for the terminal"),
        (["rays.cube.gz", "--no-source", "--source", ".", "-o", "x.html"], "cannot be combined"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(words, said, run, tool):
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not (tool.folder / "x.html").exists()
