"""The sample phases: planted changes over time are found, in one run and in several; in heat, none is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoanalyzer.experiment.trace import Trace, load_trace

from .conftest import Sample

pytestmark = pytest.mark.measured

STEPS = 200
# Function → kind of anomaly, its begin and end as shares of the steps, and its possible causes.
PLANTED = {
    "look_up": ("gradual change", 0.3, 0.7, {"l1_misses", "l1_miss_rate", "l2_misses", "l2_miss_rate", "l2_accesses"}),
    "evaluate": ("sudden change", 0.5, 1.0, {"instructions"}),
    "write_checkpoint": ("period", 0.0, 1.0, {"io_bytes", "io_calls", "io_bytes_written"}),
    "lay_out": ("dip before an event", 0.1, 1.0, {"page_faults"}),
    "integrate": ("rank leaves the others", 0.5, 1.0, {"instructions"}),
}
STEP = {"look_up": "grow", "evaluate": "solve", "write_checkpoint": "advance", "lay_out": "pack", "integrate": "track"}


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Run the sample once with counts, and twice without."""
    options = ("--trace", "--counters", "simulated", "--cache", "L1=32K/8/64,L2=1M/16/64")
    sample = Sample("phases", tmp_path_factory.mktemp("phases"), size=(str(STEPS),), options=options)
    for again in ("two", "three"):
        sample.output("autoanalyzer", "run", "--trace", "-o", again, "--", *sample.command)
    return sample


def timeline(sample: Sample, *folders: str) -> Any:
    return json.loads(sample.output("autoanalyzer", "timeline", *folders, "--json", "-"))


def moments(trace: Trace, function: str, steps: np.ndarray) -> list[float]:
    """Return when steps begin, from the entries of a function: the median over the ranks."""
    (path,) = (number for number, each in enumerate(trace.call_paths) if each.region.name == function)
    found = []
    for line in trace.lines():
        mine = line.paths == path
        entered = np.concatenate([[0], np.cumsum(np.bincount(line.samples[mine], line.visits[mine], len(line)))])
        times = np.concatenate([line.begin[:1], line.end])
        inside = slice(np.searchsorted(entered, 0, side="right") - 1, np.searchsorted(entered, STEPS) + 1)
        found.append(np.interp(steps, entered[inside], times[inside]))
    return list(np.median(found, axis=0))


def test_each_anomaly_is_named_with_its_interval_ranks_and_cause(phases: Sample) -> None:
    document = timeline(phases, "out", "two", "three")
    trace = load_trace(phases.folder / "out" / "trace.npz")
    found = {each["function"]: each for each in document["anomalies"]}
    assert set(found) == set(PLANTED)
    length = max(float(line.end[-1]) for line in trace.lines())
    for function, (kind, first, last, causes) in PLANTED.items():
        each = found[function]
        assert each["kind"] == kind
        start, end = moments(trace, STEP[function], np.array([first, last]) * STEPS)
        assert each["start"] == pytest.approx(start, abs=0.05 * length), function
        assert each["end"] == pytest.approx(end, abs=0.05 * length), function
        assert each["ranks"] == ([3] if function == "integrate" else [0, 1, 2, 3])
        assert each["goes_with"][0]["metric"] in causes, (function, each["goes_with"])
    assert found["lay_out"]["before"] == "exchange"


def test_one_run_shows_them_all(phases: Sample) -> None:
    found = {each["function"]: each["kind"] for each in timeline(phases, "two")["anomalies"]}
    assert found == {function: kind for function, (kind, *_) in PLANTED.items()}


def test_nothing_is_found_in_heat(tmp_path: Path) -> None:
    sample = Sample("heat", tmp_path, size=(), options=("--trace",))
    assert timeline(sample, "out")["anomalies"] == []
    for number in range(9):
        sample.output("autoanalyzer", "run", "--trace", "-o", f"run{number}", "--", *sample.command)
        assert timeline(sample, f"run{number}")["anomalies"] == []
    assert timeline(sample, *(f"run{number}" for number in range(9)))["anomalies"] == []
