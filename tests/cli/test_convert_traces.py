"""``convert`` of time lines, our own and other tools'."""

from __future__ import annotations

import json

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace, open_trace, save_trace

from ..experiment.trace.test_otf2 import write


@pytest.fixture
def saved(tmp_path):
    """Write a trace of two ranks with 3 and 2 samples; one value is missing."""
    lines = [
        TimeLine(
            begin=np.arange(count) / 2,
            end=np.arange(1, count + 1) / 2,
            values=np.column_stack([np.full(count, 0.25), [np.nan, 5e6, 7e6][:count]]),
            first=np.arange(count + 1),
            paths=np.zeros(count, np.intp),
            visits=np.ones(count, np.int64),
            seconds=np.full(count, 0.5),
            computing=np.full(count, 0.25),
        )
        for count in (3, 2)
    ]
    metrics = [Metric("mpi_time", "sec"), Metric("resident_memory", "bytes", additive=False)]
    paths = [CallPath(Region("function", "main", "a.c", "main", 0, 1, 9))]
    places = [Location("m", "n", rank) for rank in (0, 1)]
    save_trace(Trace(metrics, paths, places, [3, 2], lines.__getitem__), tmp_path / "trace.npz")
    return tmp_path


def test_amounts_become_rates_and_what_is_missing_stays_so(saved, here):
    done = here("convert", "trace.npz", "trace.csv")
    assert done.stdout == b"wrote trace.csv: 2 metrics, 2 locations, 5 samples\n"
    assert (saved / "trace.csv").read_text().splitlines() == [
        "time,process,thread,mpi_time[sec/sec],resident_memory[bytes]",
        "0.500000000,0,0,0.5,",
        "1.000000000,0,0,0.5,5000000",
        "1.500000000,0,0,0.5,7000000",
        "0.500000000,1,0,0.5,",
        "1.000000000,1,0,0.5,5000000",
    ]


def test_what_is_written_is_read_again(saved, here):
    here("convert", "trace.npz", "trace.csv")
    samples = open_trace(saved / "trace.csv")
    assert samples.units == ("sec/sec", "bytes")
    assert samples.locations == [(0, 0), (1, 0)]
    assert len(samples.times) == 5


def test_an_archive_of_another_tool_becomes_a_trace_of_ours(saved, here):
    write(saved / "scorep")
    done = here("convert", "scorep/traces.otf2", "ours.npz")
    assert done.returncode == 0, done.stderr
    ours, theirs = load_trace(saved / "ours.npz"), open_trace(saved / "scorep" / "traces.otf2")
    assert list(ours.call_paths) == list(theirs.call_paths)
    assert list(ours.metrics) == list(theirs.metrics)
    for place in (0, 1):
        np.testing.assert_allclose(ours.line(place).values, theirs.line(place).values, atol=1e-9)
    assert here("convert", "scorep/traces.otf2", "theirs.perfetto.json").returncode == 0
    assert here("convert", "ours.npz", "ours.perfetto.json").returncode == 0
    slices = [
        [each for each in json.loads((saved / name).read_text())["traceEvents"] if each["ph"] in "BE"]
        for name in ("theirs.perfetto.json", "ours.perfetto.json")
    ]
    assert slices[0] == slices[1]
    assert {each["name"] for each in slices[0]} == {path.region.name for path in theirs.call_paths}
    found = here("timeline", "scorep/traces.otf2")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trace.npz", "no/such.csv"], "no/such.csv: cannot be written: expected a file in an existing folder"),
        (["a.csv", "a.npz"], "a.csv: expected a trace with call paths (.npz or .otf2), found CSV"),
        ([".", "b.cube"], ".: expected"),
        (["missing.npz", "b.csv"], "missing.npz: cannot be read: No such file or directory"),
        (["missing.otf2", "b.csv"], "missing.otf2: expected an OTF2 archive, found none"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(saved, here, words, said):
    (saved / "a.csv").write_text("time,process,thread,x\n0.5,0,0,1\n")
    done = here("convert", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not [*saved.glob("b.*")]
