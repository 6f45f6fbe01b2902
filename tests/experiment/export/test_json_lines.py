"""JSON lines, imported into a real database."""

import json
import sqlite3

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.export import export


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_line_a_call_path_rank_and_metric(made, tmp_path):
    export(made, tmp_path / "a.jsonl")
    found = rows(tmp_path / "a.jsonl")
    assert len(found) == 4 * 2 * 3
    assert found[2] == {
        **{"call_path": 1, "parent": 0, "path": "work;fast", "region": "work;fast", "kind": "function"},
        **{"file": "src/w.c", "line": 10, "metric": "wall_time", "unit": "sec"},
        **{"machine": "machine", "node": "n0", "process": 0, "thread": 0, "value": 1.0},
    }
    assert found[3]["value"] is None


def test_a_database_adds_up_what_the_experiment_has(real, tmp_path):
    export(real, tmp_path / "a.jsonl")
    with sqlite3.connect(":memory:") as database:
        database.execute("create table run (call_path, parent, process, metric, value)")
        database.executemany(
            "insert into run values (:call_path, :parent, :process, :metric, :value)", rows(tmp_path / "a.jsonl")
        )
        below = """with recursive below(top, path) as (
            select distinct call_path, call_path from run
            union select top, call_path from run join below on run.parent = below.path)
            select total(value) from below join run on path = call_path where metric = ? and top = ? and process = ?"""
        for metric in ("wall_time", "mpi_bytes"):
            inclusive = real.inclusive(metric)
            for path in (0, 3, len(real.call_paths) - 1):
                for column, place in enumerate(real.locations):
                    ((value,),) = database.execute(below, (metric, path, place.process))
                    assert value == pytest.approx(inclusive[path, column], rel=1e-12)


def test_values_have_all_digits_and_all_together_have_no_place(real, tmp_path):
    export(real, tmp_path / "a.jsonl", ["cpu_time", "wall_time"])
    values = np.array([each["value"] for each in rows(tmp_path / "a.jsonl")])
    expected = np.concatenate([real.exclusive(name).ravel() for name in ("cpu_time", "wall_time")])
    np.testing.assert_array_equal(values, expected)
    export(real, tmp_path / "b.jsonl", ["visits"], together=True)
    found = rows(tmp_path / "b.jsonl")
    assert {each["process"] for each in found} == {None}
    assert [each["value"] for each in found] == real.exclusive("visits").sum(axis=1).tolist()
    with pytest.raises(InputError, match="no metric 'x'"):
        export(real, tmp_path / "c.jsonl", ["x"])
