import json
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.compiled import Compiled
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.experiment.file_use import FileUse
from autoanalyzer.experiment.grouping import over_locations
from autoanalyzer.experiment.inside import Inside, InsidePart
from autoanalyzer.experiment.thread_wait import ThreadWait

MAIN = Region("function", "main", "a.c", "main", 0, 1, 9)
WORK = Region("function", "work", "a.c", "work", 0, 10, 19)
LOOP = Region("loop", "loop@12", "a.c", "work", 0, 12, 15)
WAIT = ThreadWait(LOOP.descriptor, "critical", "a.c", 13, 2, (0, 1), (5, 6), (4, 4), (0.5, 1.0), (0.0, 0.5))


def experiment(**changes: object) -> Experiment:
    parts: dict[str, object] = {
        "metrics": [Metric("wall_time", "sec"), Metric("mpi_time", "sec", "wall_time")],
        "call_paths": [CallPath(MAIN), CallPath(WORK, 0), CallPath(LOOP, 1), CallPath(LOOP, 0)],
        "locations": [Location("m", "n", 0), Location("m", "n", 1)],
        "severities": {"wall_time": np.array([[1.0, 2], [3, 4], [5, 6], [7, 8]]), "mpi_time": np.zeros((4, 2))},
    }
    return Experiment(**(parts | changes))  # type: ignore[arg-type]


def test_inclusive_adds_up_the_call_paths_below():
    assert experiment().inclusive("wall_time").tolist() == [[16, 20], [8, 10], [5, 6], [7, 8]]


def test_of_a_large_metric_the_sums_of_all_locations_take_little_memory():
    values = np.arange(4096.0 * 2048).reshape(4096, 2048) % 7
    values[5], values[6, 3] = np.nan, np.nan
    expected = np.add.accumulate(np.nan_to_num(values), axis=1)[:, -1]  # adds one location after the other
    expected[5] = np.nan
    tracemalloc.start()
    found = over_locations(Metric("time", "sec"), values)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < values.nbytes / 2
    np.testing.assert_array_equal(found, expected)


def test_a_path_is_named_by_the_regions_below_the_root():
    assert [experiment().path_name(path) for path in range(4)] == ["", "work", "work/loop@12", "loop@12"]


def test_walking_gives_parents_before_children_in_the_order_of_first_entry():
    assert list(experiment().walk(0)) == [0, 1, 2, 3]


def test_the_root_has_depth_0():
    assert experiment().depths == (0, 1, 2, 1)


def test_an_unknown_metric_is_named_with_those_there_are():
    with pytest.raises(InputError, match=r"no metric 'cycles' .* wall_time, mpi_time"):
        experiment().exclusive("cycles")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"call_paths": [CallPath(MAIN), CallPath(WORK, 1)]}, "expected a parent with a smaller number"),
        ({"metrics": [Metric("wall_time", "sec"), Metric("mpi_time", "occ", "wall_time")]}, "with unit 'occ'"),
        ({"metrics": [Metric("wall_time", "sec"), Metric("wall_time", "sec")]}, "appears twice"),
        ({"locations": [Location("m", "n", 0), Location("m", "o", 0)]}, "same process and thread"),
        ({"severities": {"wall_time": np.zeros((4, 2))}}, "severities of"),
        ({"severities": {"wall_time": np.zeros((4, 2)), "mpi_time": np.zeros((4, 3))}}, "shape"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(changes: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        experiment(**changes)


def test_notes_are_read_back():
    notes = Notes(
        program="x",
        command=("mpirun", "-n", "4"),
        missing=(2,),
        clocks={"cpu": "rseq"},
        path_is_partial=True,
        counts_by_rank=False,
        run_delay={"0": 1.25, "3": 0.0},
        involuntary_switches={"0": 7},
    )
    assert Notes.from_json(notes.to_json()) == notes
    with_files = Notes(files=(FileUse("/data/in", 4, 10, 4096, 0, 0.5), FileUse("", 1, 2, 0, 10, 0.0)))
    assert Notes.from_json(with_files.to_json()) == with_files
    with_delays = Notes(delays=(Delay("aa1|function|wait|app.c|wait|0|3|3", "aa1|loop|loop@2|app.c|f|0|2|2", 0.1),))
    assert Notes.from_json(with_delays.to_json()) == with_delays
    assert Notes.from_json(Notes(thread_waits=(WAIT,)).to_json()) == Notes(thread_waits=(WAIT,))
    parts = (InsidePart("get", "", "a.c", 3, 20.5), InsidePart("", "libm", "", 0, 4.0))
    sampled = {"samples": 30, "seconds": 0.004, "probes": 1.0}
    inside = Notes(inside=(Inside("aa1|loop|loop@2|app.c|f|0|2|2", 30.0, 1.0, parts),), sampled=sampled)
    assert Notes.from_json(inside.to_json(), inside.samples_to_json()) == inside
    assert (Notes().samples_to_json(), "inside" in inside.to_json()) == ("", False)
    unit = Compiled("c", "/a", ("-DA",), {"_OPENMP": "201511", "__EXCEPTIONS": None}, {"a.c": "0123", "b.h": ""})
    compiled = Notes(compiled=(unit, Compiled("fortran")))
    assert Notes.from_json(compiled.to_json()) == compiled


@pytest.mark.parametrize(
    "text",
    [
        '{"missing": ["a", 1]}',
        '{"unfinished": [1.5]}',
        '{"missing": 3}',
        '{"history": [null]}',
        '{"command": "a b"}',
        '{"clocks": {"cpu": 3}}',
        '{"repairs": true}',
        '{"run_delay": {"0": "a"}}',
        '{"run_delay": {"0": NaN}}',
        '{"involuntary_switches": {"0": 1.5}}',
        '{"probe_ns": NaN}',
        '{"expected_processes": 1e3}',
        '{"program_status": 99999999999999999999}',
        '{"program": null}',
        '{"files": [1]}',
        '{"files": [{"name": "x"}]}',
        '{"thread_waits": [{"region": "", "kind": "lock"}]}',
        *(
            json.dumps({"thread_waits": [asdict(WAIT) | damage]})
            for damage in ({"threads": []}, {"seconds": [1.0, 2.0, 3.0]}, {"entries": [1, "2"]}, {"processes": 0})
        ),
        '{"inside": [{"region": "", "samples": 1.0, "probes": 0.0, "parts": [["get", "", "", 1]]}]}',
        '{"inside": [{"region": "", "samples": -1.0, "probes": 0.0, "parts": []}]}',
        '{"sampled": {"samples": 3}}',
        '{"sampled": {"samples": 0, "seconds": 0.004, "probes": 0}}',
        '{"delays": [1]}',
        '{"delays": [{"waiting": "a", "late": "b"}]}',
        '{"delays": [{"waiting": "a", "late": "b", "seconds": NaN}]}',
        '{"delays": [{"waiting": "a", "late": 3, "seconds": 1.0}]}',
        '{"compiled": [{"language": "c"}]}',
        '{"compiled": [{"language": "c", "folder": "", "options": [1], "predefined": {}, "files": {}}]}',
        '{"compiled": [{"language": "c", "folder": "", "options": [], "predefined": {}, "files": {"a.c": null}}]}',
        '{"compiled": [{"language": "c", "folder": "", "options": [], "predefined": [], "files": {}}]}',
        "[]",
        "{",
    ],
)
def test_notes_of_other_types_are_refused(text):
    with pytest.raises(InputError, match="expected"):
        Notes.from_json(text)


def test_notes_of_a_later_version_are_kept_as_a_remark():
    assert Notes.from_json('{"colour": "red"}').remarks == ("notes written by a later version: colour: red",)
