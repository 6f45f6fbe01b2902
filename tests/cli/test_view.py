"""``autoanalyzer view`` writes a page, says what it wrote, and refuses what it cannot do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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
    assert "Locations that are alike: hierarchy" in text
    assert "Redundant metrics: correlation" in text


def test_the_same_experiment_gives_the_same_page(run, tool):
    for name in ("one.html", "two.html"):
        assert run("rays.cube.gz", "--against", "rays_dynamic.cube.gz", "-o", name).returncode == 0
    assert (tool.folder / "one.html").read_bytes() == (tool.folder / "two.html").read_bytes()


def test_sources_that_were_not_found_are_named_with_the_way_out(run):
    done = run("rays.cube.gz", "-o", "report.html")
    assert b"autoanalyzer: without the source of rays.c" in done.stderr
    assert b"--source DIR says where it is" in done.stderr
    assert run("rays.cube.gz", "--no-source", "-o", "report.html").stderr == b""


def test_a_page_goes_to_standard_output_alone(run):
    done = run("rays.cube.gz", "--no-source", "-o", "-")
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert done.stdout.endswith(b"</html>\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rays.cube.gz"], "expected a terminal to browse in, found none; -o report.html writes a page"),
        (["rays.cube.gz", "-o", "rays.cube.gz"], "this file is an input"),
        (["rays.cube.gz", "-o", "none/such.html"], "expected a file in an existing folder"),
        (["none.cube", "-o", "x.html"], "none.cube"),
        (["rays.cube.gz", "--against", "none.cube", "-o", "x.html"], "none.cube"),
        (["rays.cube.gz", "--flat", "-o", "x.html"], "--flat is for the terminal"),
        (["rays.cube.gz", "--no-source", "--source", ".", "-o", "x.html"], "cannot be combined"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(words, said, run, tool):
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not (tool.folder / "x.html").exists()
