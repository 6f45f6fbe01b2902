"""A program's sources are found anywhere below, if their text is the one that was built."""

import os
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.digests import text_of
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.view.sources import Sources

CHANGED = "a.c differs from the file that was built: lines may have moved"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run" / "out").mkdir(parents=True)
    return tmp_path


def write(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return text_of(str(file))


def sources(folder: Path, *texts: str) -> Sources:
    regions = [Region("loop", "loop@1", "a.c", f"f{number}", 0, 1, 2, text) for number, text in enumerate(texts)]
    experiment = Experiment(
        metrics=[Metric("visits", "occ")],
        call_paths=[*map(CallPath, regions)],
        locations=[Location("m", "n", 0)],
        severities={"visits": np.ones((len(regions), 1))},
        notes=Notes(),
    )
    file = folder / "run" / "out" / "experiment.cube"
    file.touch()
    return Sources(experiment, file)


def test_of_several_files_of_a_name_it_is_the_one_that_was_built(folder):
    write(folder / "serial" / "a.c", "int serial;\n")
    built = write(folder / "src" / "parallel" / "a.c", "int parallel;\n")
    write(folder / "a.c", "int other;\n")
    found = sources(folder, built).find("a.c")
    assert (found.path, found.lines, found.warning) == (folder / "src/parallel/a.c", ("int parallel;",), "")


def test_a_file_that_was_only_touched_is_what_was_built(folder):
    built = write(folder / "a.c", "int a;\n")
    os.utime(folder / "a.c", (1 << 32, 1 << 32))
    assert not sources(folder, built).find("a.c").warning


def test_a_file_that_was_changed_is_said_to_be_whatever_its_date(folder):
    built = write(folder / "a.c", "int a;\n")
    write(folder / "a.c", "int b;\n")
    os.utime(folder / "a.c", (1000, 1000))
    found = sources(folder, built).find("a.c")
    assert (found.lines, found.warning) == (("int b;",), CHANGED)


def test_without_its_text_a_file_is_not_searched_below(folder):
    write(folder / "src" / "a.c", "int a;\n")
    assert sources(folder, "").find("a.c").path is None


def test_hidden_folders_and_links_are_not_entered(folder):
    built = write(folder / ".git" / "a.c", "int a;\n")
    (folder / "loop").symlink_to(folder)
    assert sources(folder, built).find("a.c").path is None


def test_the_search_ends(folder, monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.sources._MOST", 10)
    for number in range(20):
        (folder / "data" / f"{number}").mkdir(parents=True)
    built = write(folder / "src" / "deep" / "a.c", "int a;\n")
    assert sources(folder, built).find("a.c").path is None
