"""The command scale, on runs in files."""

import json
import re
import shutil
from pathlib import Path

import pytest

from autoanalyzer.experiment import Builder, Notes, save

from .conftest import refused, succeed

PAGE = Path(__file__).parents[2] / "docs" / "commands" / "scale.md"
RATE = 1e9


@pytest.fixture
def series(tool):
    """Write runs with 1, 2 and 4 ranks: 8 s of shared work, and 1 s that each rank repeats."""
    for ranks in (1, 2, 4):
        builder = Builder(Notes(program="app", command=("mpirun", "./app"), processors=2))
        for name, parent in (
            ("cpu_time", None),
            ("mpi_cpu_time", "cpu_time"),
            ("wall_time", None),
            ("path_time", None),
        ):
            builder.metric(name, parent=parent)
        builder.metric("instructions", "occ", source="simulated:")
        main = builder.call_path("main")
        works = [builder.call_path(name, main) for name in ("shared", "repeated")]
        for _ in range(ranks):
            builder.location(_)
        for work, seconds in zip(works, (8 / ranks, 1), strict=True):
            for metric, value in (("cpu_time", seconds), ("wall_time", seconds), ("instructions", RATE * seconds)):
                builder.row(metric, work, [value] * ranks)
            builder.row("path_time", work, [seconds, *[0.0] * (ranks - 1)])
        save(builder.experiment(), tool.folder / f"{ranks}.cube")
    return tool


def test_scale_prints_the_verdict_and_writes_the_keys_of_its_page(series):
    done = succeed(series("autoanalyzer", "scale", "4.cube", "1.cube", "2.cube", "--json", "scale.json"))
    said = done.stdout.decode().splitlines()
    assert said[0] == "app   1, 2, 4 ranks   strong scaling: ideally the same total work (by instructions)"
    assert any(re.fullmatch(r"instructions +1\.00 +0\.90 +0\.75 +<- falls first", line) for line in said)
    assert any(re.search(r"1 REPLICATED +repeated: the same 1\.0e9 instructions per rank +3 s", line) for line in said)
    document = json.loads((series.folder / "scale.json").read_text())
    assert document["schema"] == "autoanalyzer.scale/1"
    assert (document["ranks"], document["mode"]) == ([1, 2, 4], "strong")
    assert document["factors"]["instructions"] == pytest.approx([1, 0.9, 0.75])
    assert document["factors"]["transfer"] == [None, None, None]
    assert sum(each["rank_seconds"] for each in document["losses"]) == pytest.approx(document["lost"]["rank_seconds"])
    described = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    nested = (key for name in ("losses", "predictions", "models") for each in document[name] for key in each)
    assert {*document, *nested} - {"schema", "program", "formula"} <= described
    assert document["verdict"] == said


def test_a_page_begins_with_the_answer_and_is_no_input_or_other_output(series):
    runs = ("1.cube", "2.cube", "4.cube")
    done = succeed(series("autoanalyzer", "scale", *runs, "--html", "scale.html"))
    page = (series.folder / "scale.html").read_text()
    (title,) = re.findall(r"<h1>(.*)</h1>", page)
    assert re.sub("<[^>]*>", "", title) == (
        "app stops scaling well at 4 ranks (efficiency 0.75); the first factor below 0.9 is instructions (0.75 at 4 "
        "ranks); the largest loss at 4 ranks, 3 s of the 3 s lost over all ranks, is in repeated: every rank repeats "
        "the same work"
    )
    assert done.stdout.decode().startswith("app   1, 2, 4 ranks")
    done = succeed(series("autoanalyzer", "scale", *runs, "--html", "-"))
    assert done.stdout == page.encode()
    assert done.stderr.decode().startswith("app   1, 2, 4 ranks")
    assert "this file is an input" in refused(series("autoanalyzer", "scale", *runs, "--html", "4.cube"))
    assert "also writes this file" in refused(series("autoanalyzer", "scale", *runs, "--html", "a", "--json", "a"))


def test_a_series_is_judged_by_its_folder_and_compared_with_another(series):
    (series.folder / "study").mkdir()
    for ranks in (1, 2, 4):
        place = series.folder / "study" / f"ranks-{ranks}"
        place.mkdir()
        (series.folder / f"{ranks}.cube").rename(place / "experiment.cube")
    done = succeed(series("autoanalyzer", "scale", "study"))
    assert done.stdout.decode().startswith("app   1, 2, 4 ranks   strong scaling")
    shutil.copytree(series.folder / "study", series.folder / "other")
    done = succeed(series("autoanalyzer", "compare", "study", "--with", "other", "--json", "changes.json"))
    document = json.loads((series.folder / "changes.json").read_text())
    assert (document["schema"], document["verdict"]) == ("autoanalyzer.scaling_comparison/1", "same")
    assert document["lines"] == done.stdout.decode().splitlines()
    assert document["lines"][-1] == "SAME     1 loss"
    described = set(re.findall(r"`(\w+)`", (PAGE.parent / "compare.md").read_text()))
    assert {*document, *document["losses"][0]} - {"schema"} <= described
    assert "expected two series of runs" in refused(series("autoanalyzer", "compare", "study"))
    done = succeed(series("autoanalyzer", "compare", "study", "--with", "other", "--html", "changes.html"))
    assert done.stdout.decode().splitlines() == document["lines"]
    assert "<h1>SAME: app scales as before: efficiency 0.75" in (series.folder / "changes.html").read_text()
    target = "other/ranks-4/experiment.cube"
    assert "this file is an input" in refused(
        series("autoanalyzer", "compare", "study", "--with", "other", "--html", target)
    )
    run = "study/ranks-1"
    assert "--mode needs two series" in refused(series("autoanalyzer", "compare", run, "--with", run, "--mode", "weak"))
    assert "scale" in refused(series("autoanalyzer", "scale", run))
    refusal = refused(series("autoanalyzer", "compare", "study", "--with", "other", "--fail-on", "5%"))
    assert "--fail-on cannot be used with series of runs" in refusal
    (series.folder / "other" / "ranks-4" / "experiment.cube").unlink()
    refusal = refused(series("autoanalyzer", "compare", "study", "--with", "other"))
    assert (
        "other/ranks-4: expected a run, found none; to complete other, repeat the command that recorded it" in refusal
    )
    (series.folder / "other" / "ranks-4" / "run-1").mkdir()  # scale --repeat was interrupted
    assert "found only some of the repeated runs; to complete other" in refused(
        series("autoanalyzer", "scale", "other")
    )


def test_scale_refuses_what_it_cannot_judge_in_one_line(series):
    assert "different numbers of ranks" in refused(series("autoanalyzer", "scale", "4.cube"))
    assert "no-such.cube" in refused(series("autoanalyzer", "scale", "4.cube", "no-such.cube"))
    assert "give each run only once" in refused(series("autoanalyzer", "scale", "4.cube", "./4.cube"))
    assert "need --ranks" in refused(series("autoanalyzer", "scale", "4.cube", "-o", "study"))
    assert "needs -o DIR" in refused(series("autoanalyzer", "scale", "--ranks", "1,2", "--", "true"))
    wanted = ("autoanalyzer", "scale", "-o", "study", "--ranks")
    assert "found '2,2'" in refused(series(*wanted, "2,2", "--", "true", "{ranks}"))
    assert "expected {ranks} in the command" in refused(series(*wanted, "1,2", "--", "true"))
    (series.folder / "study" / "ranks-1").mkdir(parents=True)
    (series.folder / "1.cube").rename(series.folder / "study" / "ranks-1" / "experiment.cube")
    assert "expected a run of true 1, found mpirun ./app" in refused(series(*wanted, "1,2", "--", "true", "{ranks}"))
