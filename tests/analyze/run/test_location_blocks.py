"""Findings do not depend on the number of blocks that an analysis processes, nor on the process that does it."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.location_blocks import WORKERS, over_locations
from autoanalyzer.experiment import Experiment, load
from autoanalyzer.view.findings_json import findings_document

DATA = Path(__file__).parents[2] / "data"
BLOCK = "autoanalyzer.experiment.experiment._BLOCK"  # number of values in a block
LARGE = "autoanalyzer.experiment.experiment._WHOLE"


def _document(experiment: Experiment, **options: Any) -> Any:
    return json.loads(json.dumps(findings_document(analyze(experiment, **options), Path("e.cube"))))


def _assert_close(found: Any, expected: Any, place: str = "") -> None:
    """Compare documents with tolerance, because blocks add numbers in a different order."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key, value in expected.items():
            _assert_close(found[key], value, f"{place}/{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for number, value in enumerate(expected):
            _assert_close(found[number], value, f"{place}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), place
    else:
        assert found == expected, place


def _made(kind: str, make_experiment: Any) -> Experiment:
    """Return eight ranks that differ in some way."""
    ranks = 8
    chance = np.random.default_rng(5)
    slow = np.where(np.arange(ranks) >= 6, 3.0, 1.0)
    work = (slow if kind == "parted" else np.ones(ranks)) * (1 + 0.01 * chance.random(ranks))
    off = {"sleep": 3.0 * (np.arange(ranks) == 5)} if kind == "asleep" else {}
    times = {"work": work, "work/inner": 2 * work, "read": np.full(ranks, 0.3), "sleep": np.zeros(ranks)}
    late = sum(off.values(), times["work"] + times["work/inner"])
    waits = {"MPI_Barrier": late.max() - late + (0.9 if kind == "volumes" else 0.01)}
    volumes = {"MPI_Barrier": np.where(np.arange(ranks) == 3, 9e9, 1e8)} if kind == "volumes" else {"MPI_Barrier": work}
    path = {
        "path_time": {"work/inner": late / 2 * (np.arange(ranks) == 6), "work": late / 20 * (np.arange(ranks) > 2)},
        "wait_time": {"MPI_Barrier": waits["MPI_Barrier"]},
        "delay_time": {"work": waits["MPI_Barrier"]},
    }
    made = make_experiment(
        times | {"MPI_Barrier": np.zeros(ranks)},
        off=off,
        mpi_time=waits,
        mpi_bytes=volumes,
        io_time={"read": np.full(ranks, 0.3)},
        io_cpu_time={"read": 0.3 * chance.random(ranks)},
        io_bytes={"read": np.where(np.arange(ranks) % 2, 1e6, 2e6 if kind == "parted" else 1e6)},
        instructions={each: 1e9 * values for each, values in times.items()},
        cycles={path: 2e9 * values for path, values in times.items()},
        l1_accesses={path: 3e8 * values for path, values in times.items()},
        l1_misses={path: 1e7 * values * values for path, values in times.items()},
        **(path if kind == "followed" else {}),
        visits={each: np.full(ranks, 9.0) for each in ("", *times, "MPI_Barrier")},
    )
    return made.replaced(notes=replace(made.notes, run_delay=dict.fromkeys(map(str, range(ranks)), 0.1)))


@pytest.mark.parametrize("kind", ["alike", "parted", "asleep", "volumes", "followed"])
@pytest.mark.parametrize("options", [{}, {"method": "paper"}, {"exclude_ranks": [2]}, {"exclude_regions": ["read@1"]}])
def test_findings_of_eight_blocks_are_those_of_one(kind, options, make_experiment, monkeypatch):
    experiment = _made(kind, make_experiment)
    expected = _document(experiment, **options)
    monkeypatch.setattr(BLOCK, 1)
    assert len(experiment.location_blocks()) == 8
    _assert_close(_document(experiment.replaced(), **options), expected)


@pytest.mark.parametrize("metric", ["wall_time", "cpu_time", "mpi_bytes"])
@pytest.mark.parametrize("weight", ["crnm", "cpi", "wall_time"])
def test_so_are_those_by_other_metrics(metric, weight, make_experiment, monkeypatch):
    experiment = _made("parted", make_experiment)
    expected = _document(experiment, metric=metric, disparity_metric=weight)
    monkeypatch.setattr(BLOCK, 1)
    _assert_close(_document(experiment.replaced(), metric=metric, disparity_metric=weight), expected)


@pytest.mark.parametrize("name", ["rays", "rays_dynamic", "hybrid", "profile", "summary", "trace"])
@pytest.mark.by_day(name=["hybrid", "summary", "trace"])
def test_so_are_those_of_real_runs(name, tmp_path, monkeypatch):
    ending = "cubex" if name == "summary" else "cube"
    file = tmp_path / f"e.{ending}"
    file.write_bytes(gzip.decompress((DATA / f"{name}.{ending}.gz").read_bytes()))
    expected = _document(load(file))
    monkeypatch.setattr(BLOCK, 1)
    monkeypatch.setattr(LARGE, 0)
    _assert_close(_document(load(file)), expected)


def test_workers_are_asked_for_many_blocks_and_not_for_one(make_experiment, monkeypatch):
    asked = []

    class Workers:
        def over_locations(self, experiment, function, arguments):
            asked.append(len(experiment.location_blocks()))
            return iter([function(experiment, slice(0, 2), *arguments)])

    experiment = make_experiment({"a": [1, 2]})
    token = WORKERS.set(Workers())
    try:
        assert [*over_locations(experiment, lambda part, columns: len(part.locations))] == [2]
        monkeypatch.setattr(BLOCK, 1)
        assert [*over_locations(experiment, lambda part, columns, more: more, 7)] == [7]
    finally:
        WORKERS.reset(token)
    assert asked == [2]
