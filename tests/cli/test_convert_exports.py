"""``convert`` to files of other tools."""

import shutil
from pathlib import Path

import pytest

RAYS = Path(__file__).parents[1] / "data" / "rays.cube.gz"


def test_a_line_says_what_was_written(here, tmp_path):
    shutil.copy(RAYS, tmp_path)
    done = here("convert", "rays.cube.gz", "a.folded")
    assert (done.returncode, done.stdout) == (0, b"wrote a.folded: wall_time, each of 4 locations\n"), done.stderr
    done = here("convert", "rays.cube.gz", "a.speedscope.json", "--sum", "--metric", "mpi_time")
    assert (done.returncode, done.stdout) == (0, b"wrote a.speedscope.json: mpi_time, all together\n"), done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no/a.folded"], "no/a.folded: cannot be written: expected a file in an existing folder"),
        (["a.folded", "--metric", "wall"], "no metric 'wall' in this experiment"),
        (["a.folded", "--metric", "wall_time", "--metric", "visits"], "expected one metric in folded stacks"),
        (["a.cube", "--sum"], "--metric and --sum: expected an OUT for another tool (.folded, "),
        (["a.json"], "a.json: expected a name that ends in .cube, "),
    ],
)
def test_what_cannot_be_is_said_in_a_line(here, tmp_path, words, said):
    shutil.copy(RAYS, tmp_path)
    done = here("convert", "rays.cube.gz", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rays.cube.gz"]
