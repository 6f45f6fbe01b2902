"""What is measured before the first run on a machine, and when it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.prices import Prices
from autoanalyzer.runtime.calibration import at_first
from autoanalyzer.runtime.calibration.at_first import calibrate_at_first
from autoanalyzer.runtime.calibration.calibration import Calibration
from autoanalyzer.runtime.calibration.kept import keep, kept_calibration
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.mpi.detection import Mpi

PATIENCE = "autoanalyzer.runtime.calibration.at_first._PATIENCE"
SAID = b"autoanalyzer: benchmarked instructions, cache misses and file I/O on this machine in "


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return an environment that allows calibration and has an empty cache; the machine may be busy."""
    monkeypatch.setattr(PATIENCE, 1200.0)
    monkeypatch.setattr(at_first, "_ROUNDS", 1)
    monkeypatch.setenv("AUTOANALYZER_CALIBRATE", "")
    (tmp_path / "cache").mkdir()
    return {"AUTOANALYZER_CACHE": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}


def tried(folder: Path, environment: dict[str, str], command: tuple[str, ...] = ("/bin/true",)) -> list[str]:
    said: list[str] = []
    calibrate_at_first(command, folder, environment, say=said.append)
    return said


def test_a_run_measures_once_what_needs_no_launcher_says_so_and_notes_it(tool, here, asked, monkeypatch):
    tool.build("int main(void) { return 0; }\n")
    own = Path(asked["AUTOANALYZER_CACHE"])
    for built in Path(os.environ["AUTOANALYZER_CACHE"]).iterdir():  # other tests store calibrations there
        if not built.name.startswith("calibration"):
            (own / built.name).symlink_to(built)
    monkeypatch.setenv("AUTOANALYZER_CACHE", str(own))
    monkeypatch.setenv("AUTOANALYZER_CALIBRATE", "wait")
    words = ("autoanalyzer", "run", "--no-analyze", "-o", "out", "--", "./app")
    first, second = here(*words[1:]), here(*words[1:])
    assert (first.returncode, first.stdout, first.stderr.count(SAID)) == (0, b"", 1)
    assert SAID not in second.stderr
    notes = load(RunFolder(tool.folder / "out").experiment).notes
    assert notes.prices["instruction_independent"] < notes.prices["instruction_dependent"]
    assert {"l1_miss_chased", "l2_miss_streamed", "write_call"} < notes.prices.keys()
    assert "mpi_call" not in notes.prices
    assert notes.calibrated["instructions"] == "assumed"
    assert not [*tool.folder.rglob("autoanalyzer-calibrate-*")]


def test_who_refuses_or_has_a_calibration_or_cannot_run_or_keep_it_waits_for_nothing(tmp_path, asked):
    folder, cache = tmp_path / "out", tmp_path / "cache"
    assert tried(folder, {**asked, "AUTOANALYZER_CALIBRATE": "off"}) == []
    assert tried(folder, asked, ("./none",)) == []
    (tmp_path / "file").touch()
    in_file = str(tmp_path / "file" / "cache")
    assert tried(folder, {**asked, "AUTOANALYZER_CACHE": in_file, "XDG_CACHE_HOME": in_file}) == []
    assert (folder.exists(), [*cache.iterdir()]) == (False, [])
    kept = Calibration(Prices(instruction=1e-10), {"host": "node1"})
    keep(kept, Mpi(None), asked)
    assert tried(folder, asked) == []
    assert kept_calibration(Mpi(None), asked) == kept


def test_a_machine_that_is_too_busy_is_not_waited_for(tmp_path, asked, monkeypatch):
    monkeypatch.setattr(PATIENCE, 0.001)
    assert tried(tmp_path / "out", asked) == []
    assert [*(tmp_path / "out").iterdir()] == []
    assert [each.name for each in (tmp_path / "cache").iterdir()] == ["calibration-tried"]


def test_what_was_tried_in_vain_is_not_tried_again_at_once(tmp_path, asked, monkeypatch):
    (tmp_path / "cache" / "calibration-tried").touch()
    monkeypatch.setattr(at_first, "machine_alone", lambda *_, **__: pytest.fail("tried again"))
    assert tried(tmp_path / "out", asked) == []
