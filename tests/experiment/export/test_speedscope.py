"""Speedscope's JSON, validated against the schema that speedscope publishes."""

import json
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment.export import export

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "speedscope" / "file-format-schema.json").read_text())


def written(experiment, file, *metrics, together=False):
    import jsonschema  # noqa: PLC0415 - takes a tenth of a second of each worker of pytest

    export(experiment, file, metrics, together=together)
    found = json.loads(file.read_text())
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return found


def test_a_profile_a_rank_of_the_same_frames(made, tmp_path):
    found = written(made, tmp_path / "a.speedscope.json")
    assert found["shared"]["frames"] == [
        {"name": "main", "file": "src/m.c", "line": 1},
        {"name": "work;fast", "file": "src/w.c", "line": 10},
        {"name": "MPI_Send"},
    ]
    first, second = found["profiles"]
    assert (first["name"], first["unit"], first["endValue"]) == ("rank 0", "nanoseconds", 1_250_000_002)
    assert (first["samples"], first["weights"]) == ([[0], [0, 1], [0, 1, 2]], [250_000_000, 1_000_000_000, 2])
    assert (second["samples"], second["weights"]) == ([[0], [0, 1, 2]], [500_000_000, 4_000_000_000])


def test_units_are_those_that_speedscope_knows(made, threaded, tmp_path):
    assert written(made, tmp_path / "a.speedscope.json", "mpi_bytes")["profiles"][0]["unit"] == "bytes"
    names = [each["name"] for each in written(threaded, tmp_path / "a.speedscope.json")["profiles"]]
    assert names == ["rank 0 thread 0", "rank 0 thread 1"]


def test_all_together_are_one_profile_of_the_same_sum(real, tmp_path):
    (found,) = written(real, tmp_path / "a.speedscope.json", together=True)["profiles"]
    assert found["name"] == "all ranks"
    assert sum(found["weights"]) == found["endValue"]
    assert found["endValue"] == pytest.approx(np.nansum(real.exclusive("wall_time")) * 1e9, abs=len(real.call_paths))
