"""An OTF2 archive by OTF2's own writer, read as a profile: sums equal those of a walk over its events."""

import warnings
from collections import defaultdict

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace.otf2 import read_otf2

from .conftest import FOREIGN

FILE = FOREIGN / "otf2" / "traces.otf2"


def _walked():
    """Return sums by name and location, computed with a stack of names."""
    import otf2  # noqa: PLC0415 - takes a tenth of a second of each worker of pytest

    seconds, visits, stacks, since = defaultdict(float), defaultdict(int), defaultdict(list), {}
    with warnings.catch_warnings(), otf2.reader.open(str(FILE)) as archive:
        ticks = archive.definitions.clock_properties.timer_resolution
        for location, event in archive.events:
            if not isinstance(event, otf2.events.Enter | otf2.events.Leave):
                continue
            stack = stacks[location._ref]
            if stack:
                seconds[stack[-1], location._ref] += (event.time - since[location._ref]) / ticks
            since[location._ref] = event.time
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region.name)
                visits[event.region.name, location._ref] += 1
            else:
                stack.pop()
    return seconds, visits


def test_own_times_and_visits_are_those_of_a_walk_over_the_events():
    experiment = load(FILE)
    seconds, visits = _walked()
    for metric, expected in (("wall_time", seconds), ("visits", visits)):
        for path, row in zip(experiment.call_paths, experiment.exclusive(metric), strict=True):
            found = [row[1], row[0]]  # ranks and locations are in opposite order
            assert found == pytest.approx([expected[path.region.name, location] for location in range(2)])


def test_sums_are_those_of_its_time_lines():
    experiment, trace = load(FILE), read_otf2(FILE)
    lines = [*trace.lines()]
    names = {each.name for each in trace.metrics}
    assert {each.name for each in experiment.metrics} - names == {"path_time", "path_visits", "delay_time", "wait_time"}
    for metric in (each for each in experiment.metrics if each.name in names):
        sums = [line.values[:, trace.column(metric.name)].sum() for line in lines]
        assert experiment.exclusive(metric.name).sum(axis=0) == pytest.approx(np.array(sums), rel=1e-6)
    assert {"mpi_bytes_sent", "io_bytes_read", "mpi_barrier_time", "PAPI_TOT_INS"} <= {
        m.name for m in experiment.metrics
    }
    assert "temperature" not in experiment


def test_what_passed_is_where_it_did(values):
    experiment = load(FILE)
    assert values(experiment, "mpi_bytes_sent")["main/MPI_Send"] == [4096, 4096]
    assert values(experiment, "io_bytes_read")["main/read"] == [500, 500]
    assert values(experiment, "PAPI_TOT_INS")["main/work"] == [6000, 6000]


def test_the_verdict_is_about_file_io():
    findings = analyze(load(FILE))
    assert findings.run.program_time == pytest.approx(10)
    assert "OTF2: values are summed" in findings.experiment.notes.remarks[-2]
    assert findings.experiment.notes.remarks[-1].endswith("in the archive, 2 messages have no matching receive")
