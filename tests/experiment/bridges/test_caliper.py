"""Profiles of Caliper: values equal those in the file, in seconds, along the paths of its nodes."""

import gzip
import json
import resource
import subprocess
import sys
from collections import defaultdict

import caliperreader
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN


def test_all_values_of_split_json_come_in(values):
    document = json.loads((FOREIGN / "lulesh.caliper.json").read_text())
    experiment = load(FOREIGN / "lulesh.caliper.json")
    nodes = document["nodes"]
    expected = defaultdict(dict)
    for _, rank, own, node in document["data"]:
        names, above = [], node
        while above is not None:
            names.append(nodes[above]["label"])
            above = nodes[above].get("parent")
        expected["/".join(["program", *names[::-1]])][rank] = own / 1e6
    found = values(experiment, "wall_time")
    assert found.keys() == expected.keys()
    assert {name: dict(enumerate(each)) for name, each in found.items()} == expected
    inclusive = values(experiment, "wall_time", inclusive=True)
    assert inclusive["program/main"][0] == pytest.approx(5882425e-6)


def test_all_values_of_cali_are_those_of_its_own_reader(values):
    file = FOREIGN / "lulesh.cali"
    records, _ = caliperreader.read_caliper_contents(str(file))
    experiment = load(file)
    expected = {"/".join(["program", *each.get("path", ())]): [float(each["sum#time.duration"])] for each in records}
    assert values(experiment, "wall_time") == expected
    assert values(experiment, "count")["program/main"] == [2]
    assert experiment.metric("max#time.duration").aggregation == "max"
    assert experiment.metric("avg#time.duration").aggregation == "none"
    assert {experiment.metric(f"{each}#time.duration").unit for each in ("min", "max", "avg")} == {"sec"}
    longest = {"/".join(["program", *each.get("path", ())]): [float(each["max#time.duration"])] for each in records}
    assert values(experiment, "max#time.duration") == longest
    assert any("no ranks" in each for each in experiment.notes.remarks)


@pytest.mark.parametrize("name", ["rays.cali", "rays.caliper.json"])
def test_own_and_inclusive_times_are_those_that_cali_query_prints(name, values):
    experiment = load(FOREIGN / name)
    for metric, inclusive in (("sum#sum#sum#time.duration", False), ("inclusive#sum#sum#time.duration", True)):
        found = values(experiment, "wall_time", inclusive=inclusive)
        for row in json.loads((FOREIGN / "rays.expected.json").read_text()):
            path = f"program/{row['path']}" if "path" in row else "program"
            if metric in row and (path != "program" or not inclusive):
                assert found[path][row["mpi.rank"]] == pytest.approx(row[metric], abs=2e-6)


def test_a_real_aggregate_over_processes_is_refused():
    with pytest.raises(InputError, match="aggregated over 4 processes"):
        load(FOREIGN / "rays_spot.cali")


def test_the_analysis_compares_ranks():
    findings = analyze(load(FOREIGN / "lulesh.caliper.json"))
    assert findings.run.program_time == pytest.approx(5.93, rel=0.01)
    assert findings.dissimilarity.exists


AGGREGATE = """__rec=node,id=34,attr=10,data=65,parent=5
__rec=node,id=35,attr=8,data=avg#inclusive#sum#time.duration,parent=34
__rec=node,id=19,attr=10,data=268,parent=3
__rec=node,id=20,attr=8,data=function,parent=19
__rec=node,id=40,attr=20,data=main
__rec=ctx,ref=40,attr=35,data=1.5
__rec=node,id=50,attr=10,data=516,parent=3
__rec=node,id=51,attr=8,data=mpi.world.size,parent=50
__rec=node,id=52,attr=51,data={size}
__rec=globals,ref=52
"""


def test_what_went_over_processes_is_refused_with_the_reason(tmp_path):
    (tmp_path / "a.cali").write_text(AGGREGATE.format(size=8))
    with pytest.raises(InputError, match=r"aggregated over 8 processes \(avg#.*cannot be distinguished"):
        load(tmp_path / "a.cali")


OVER_ONE = """__rec=node,id=34,attr=10,data=65,parent=5
__rec=node,id=35,attr=8,data=min#inclusive#sum#time.duration,parent=34
__rec=node,id=36,attr=8,data=max#inclusive#sum#time.duration,parent=34
__rec=node,id=37,attr=8,data=sum#inclusive#sum#time.duration,parent=34
__rec=node,id=19,attr=10,data=268,parent=3
__rec=node,id=20,attr=8,data=function,parent=19
__rec=node,id=40,attr=20,data=main
__rec=node,id=41,attr=20,data=work,parent=40
__rec=ctx,ref=40,attr=35=36=37,data=1.5={most}={most}
__rec=ctx,ref=41,attr=35=36=37,data=1.0=1.0=1.0
"""


def test_what_went_over_one_process_is_of_that_process(tmp_path, values):
    (tmp_path / "a.cali").write_text(OVER_ONE.format(most=1.5))
    experiment = load(tmp_path / "a.cali")
    assert values(experiment, "wall_time") == {"main": [0.5], "main/work": [1.0]}
    assert any("read as one process" in each for each in experiment.notes.remarks)
    assert not any("summed over" in each for each in experiment.notes.remarks)
    (tmp_path / "a.cali").write_text(OVER_ONE.format(most=1.75))
    with pytest.raises(InputError, match="aggregated over all processes"):
        load(tmp_path / "a.cali")


def test_the_hosts_time_beside_a_gpus_is_wall_time(tmp_path, values):
    document = {
        "data": [[3.0, 9.0, 0], [1.0, 0.5, 1]],
        "columns": ["scale#sum#cupti.host.duration", "scale#cupti.activity.duration", "path"],
        "column_metadata": [{"is_value": True, "attribute.unit": "sec"}] * 2 + [{"is_value": False}],
        "nodes": [{"label": "main"}, {"label": "copy", "parent": 0}],
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert values(load(tmp_path / "a.json"), "wall_time") == {"main": [3.0], "main/copy": [1.0]}


def test_what_is_below_a_call_of_mpi_is_mpi(tmp_path):
    """The library's polling functions, in which some ranks spend more time than others, are not the ranks' work."""
    times = {
        "main": [2, 2],
        "main/MPI_Bcast": [0, 0],
        "main/MPI_Bcast/shm_poll": [0, 0.9],
        "main/MPI_Bcast/x/y": [0, 1],
    }
    rows = [
        {"mpi.rank": rank, "path": path, "time": time} for path, each in times.items() for rank, time in enumerate(each)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    findings = analyze(load(tmp_path / "a.json"))
    assert findings.experiment.exclusive("mpi_time").sum(axis=0).tolist() == [0, 1.9]
    assert not findings.dissimilarity.exists


def test_time_of_samplers_is_as_much_as_their_samples(tmp_path):
    rows = [
        {"mpi.rank": rank, "path": "main", "cali.sampler.pc": pc, "count": number, "sum#time.duration": 5e-3 * number}
        for rank, pc, number in ((0, "a", 40), (1, "a", 40), (1, "b", 7))
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    experiment = load(tmp_path / "a.json")
    assert experiment.notes.samples == {"wall_time": pytest.approx(5e-3), "count": 1.0}
    assert not analyze(experiment).dissimilarity.exists


def test_inclusive_values_alone_become_exclusive(tmp_path, values):
    rows = [[3.0, 0, 0], [1.0, 0, 1], [1.5, 0, 2], [5.0, 1, 0], [2.5, 1, 2]]
    document = {
        "data": rows,
        "columns": ["time (inc)", "mpi.rank", "path"],
        "column_metadata": [{"is_value": True, "attribute.unit": "sec"}, {"is_value": True}, {"is_value": False}],
        "nodes": [{"label": "main"}, {"label": "a", "parent": 0}, {"label": "b", "parent": 0}],
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    found = values(load(tmp_path / "a.json"), "wall_time")
    assert found == {"main": [0.5, 2.5], "main/a": [1.0, 0.0], "main/b": [1.5, 2.5]}


def test_records_in_json_are_read(tmp_path, values):
    rows = [
        {"mpi.rank": rank, "path": "main/work", "sum#time.duration": 1.5 + rank, "sum#instructions": 7}
        for rank in range(2)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    experiment = load(tmp_path / "a.json")
    assert values(experiment, "wall_time") == {"main": [0.0, 0.0], "main/work": [1.5, 2.5]}
    assert values(experiment, "sum#instructions")["main/work"] == [7, 7]


def test_what_rounding_leaves_of_an_inclusive_value_is_0(tmp_path, values):
    times = {"main": 0.1 + 0.2, "main/MPI_Send": 0.2, "main/MPI_Recv": 0.1}
    rows = [{"mpi.rank": 0, "path": path, "inclusive#sum#time.duration": time} for path, time in times.items()]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert values(load(tmp_path / "a.json"), "wall_time") == {
        "main": [0.0], "main/MPI_Send": [0.2], "main/MPI_Recv": [0.1]
    }  # fmt: skip


@pytest.mark.parametrize("text", ["1", "nan", "inf"])
def test_text_that_looks_like_a_number_is_text_where_others_beside_it_are(text, tmp_path, values):
    rows = [
        {"path": "main", "sum#time.duration": "1.5", "case": text},
        {"path": text, "sum#time.duration": 2, "case": "b"},
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert values(load(tmp_path / "a.json"), "wall_time") == {
        "program": [0],
        "program/main": [1.5],
        f"program/{text}": [2],
    }


def test_a_metric_that_is_no_number_everywhere_is_refused(tmp_path):
    rows = [{"path": "main", "sum#time.duration": 1.5, "sum#x": value} for value in (1, "none")]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="expected numbers in sum#x, found other values"):
        load(tmp_path / "a.json")


def test_counts_that_are_called_as_ours_are_not_taken_for_them(tmp_path, values):
    rows = [{"path": "main", "sum#time.duration": 1.5, "inclusive#instructions": 7}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    experiment = load(tmp_path / "a.json")
    assert values(experiment, "Caliper:instructions") == {"main": [7]}
    assert "counts of instructions" in analyze(experiment).experiment.notes.remarks[0]


def test_a_node_that_is_its_own_parent_is_refused(tmp_path):
    (tmp_path / "a.cali").write_text("__rec=node,id=40,attr=8,data=main,parent=40\n__rec=ctx,ref=40\n")
    with pytest.raises(InputError, match="found node 40 below node 40"):
        load(tmp_path / "a.cali")


@pytest.mark.parametrize("text", ["__rec=ctx,ref=7\n", "__rec=\n", "{}", "[1]", '{"data": 1}', "__rec=node\\"])
def test_a_damaged_file_is_refused_in_a_line(text, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(InputError, match=rf"^{tmp_path}/a: expected .*\Z"):
        load(tmp_path / "a")


def _chain(length, many):
    nodes = [{"label": "a"}, *({"label": "a", "parent": each} for each in range(length - 1))]
    return json.dumps({"data": [], "columns": [], "column_metadata": [], "nodes": nodes + nodes[-1:] * many})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"path":"main"}' + ",{}" * (1 << 21) + "]", "at most 2097152 Caliper records in JSON, found 2097153"),
        (_chain(999, 34_000), "depths add up to at most 33554432, found more"),
    ],
    ids=["records", "depths"],
)
def test_records_and_nodes_that_fill_memory_are_refused(text, reason, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=reason):
        load(tmp_path / "a.json")


MEMORY = 1_500_000_000  # bytes of address space; Python with NumPy takes half of it


@pytest.mark.parametrize(
    ("first", "reason"),
    [(b"[{}", "found other JSON"), (b'[{"path":"main"}', "at most 64 MiB of JSON after decompression, found more")],
)
def test_json_that_unpacks_to_much_is_refused_in_little_memory(first, reason, tmp_path):
    file = tmp_path / "a.json.gz"
    file.write_bytes(gzip.compress(first + b",{}" * (24 << 20) + b"]", 1))
    done = subprocess.run(
        [sys.executable, "-m", "autoanalyzer", "info", file],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert reason in done.stderr
