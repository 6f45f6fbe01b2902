"""``convert`` to other tools' formats."""

import json
import shutil
from pathlib import Path

import pytest

from autoanalyzer.experiment import load, save

RAYS = Path(__file__).parents[1] / "data" / "rays.cube.gz"


def test_a_line_says_what_was_written(here, tmp_path):
    shutil.copy(RAYS, tmp_path)
    done = here("convert", "rays.cube.gz", "a.folded")
    assert (done.returncode, done.stdout) == (0, b"wrote a.folded: wall_time, for each of 4 locations\n"), done.stderr
    done = here("convert", "rays.cube.gz", "a.speedscope.json", "--sum", "--metric", "mpi_time")
    assert (done.returncode, done.stdout) == (0, b"wrote a.speedscope.json: mpi_time, summed over all locations\n"), (
        done.stderr
    )


def test_a_folder_with_time_lines_shows_them_in_perfetto(here, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    save(load(RAYS), run / "experiment.cube")
    done = here("convert", "run", "a.perfetto.json")
    said = b"wrote a.perfetto.json: wall_time, for each of 4 locations; a profile laid out as slices, not a time line\n"
    assert (done.returncode, done.stdout) == (0, said), done.stderr
    shutil.copy(RAYS.with_name("rays.trace.npz"), run / "trace.npz")
    done = here("convert", "run", "b.perfetto.json", "--metric", "mpi_bytes")
    assert (done.returncode, done.stdout) == (0, b"wrote b.perfetto.json: 32 metrics, 4 locations, 127 samples\n")
    counters = [
        each for each in json.loads((tmp_path / "b.perfetto.json").read_text())["traceEvents"] if each["ph"] == "C"
    ]
    assert {(each["name"], *each["args"]) for each in counters} == {("mpi_bytes", "bytes/sec")}
    for words, wrong in ((["run", "--sum"], b"--sum cannot be used with time lines"), (["a.csv"], b"found CSV")):
        (tmp_path / "a.csv").write_text("time,process,thread,x\n0.5,0,0,1\n")
        done = here("convert", words[0], "c.perfetto.json", *words[1:])
        assert done.returncode == 2
        assert wrong in done.stderr
    assert not (tmp_path / "c.perfetto.json").exists()
    done = here("convert", "run/trace.npz", "c.folded")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"expected an experiment for this format, found the time lines run/trace.npz" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no/a.folded"], "no/a.folded: cannot be written: expected a file in an existing folder"),
        (["a.folded", "--metric", "wall"], "no metric 'wall' in this experiment"),
        (["a.folded", "--metric", "wall_time", "--metric", "visits"], "expected one metric for folded stacks"),
        (["a.cube", "--sum"], "--metric and --sum apply only to files for other tools (.folded, "),
        (["a.json"], "a.json: expected a name that ends in one of .cube, .cube.gz, .xml, .cubex, .folded, "),
    ],
)
def test_what_cannot_be_is_said_in_a_line(here, tmp_path, words, said):
    shutil.copy(RAYS, tmp_path)
    done = here("convert", "rays.cube.gz", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rays.cube.gz"]
