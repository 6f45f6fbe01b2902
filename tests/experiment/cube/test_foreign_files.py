"""Files written by other tools."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from pycubexr import CubexParser

from autoanalyzer.experiment import Location, load, save
from autoanalyzer.view.dump import write_csv, write_json

NAMES = ("example", "profile", "trace", "summary")


@pytest.mark.parametrize("name", NAMES)
def test_the_dump_is_that_of_the_tools_of_cube_byte_for_byte(name, foreign):
    experiment = load(foreign[name])
    said = io.StringIO()
    write_csv(experiment, [metric.name for metric in experiment.metrics], said)
    expected = foreign["example"].with_name(f"{name}.expected.csv")
    assert said.getvalue() == expected.read_text()


def test_json_has_every_number_and_is_written_a_call_path_at_a_time(foreign):
    experiment = load(foreign["trace"])
    metrics = [metric.name for metric in experiment.metrics]
    parts: list[str] = []
    stream = SimpleNamespace(write=parts.append)
    write_json(experiment, foreign["trace"], metrics, "thread", stream)
    document = json.loads("".join(parts))
    for metric in metrics:
        np.testing.assert_array_equal(document["exclusive"][metric], experiment.exclusive(metric))
        np.testing.assert_array_equal(document["inclusive"][metric], experiment.inclusive(metric))
    assert max(map(len, parts)) < 40 * len(experiment.locations)


@pytest.mark.parametrize("ending", [".cube", ".cube.gz", ".xml", ".cubex"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_of_it_is_read_back_bit_for_bit(name, ending, foreign, tmp_path, assert_equal):
    experiment = load(foreign[name])
    experiment.check()
    save(experiment, tmp_path / f"copy{ending}")
    copy = load(tmp_path / f"copy{ending}")
    assert_equal(experiment, copy)
    save(copy, tmp_path / f"again{ending}")
    assert (tmp_path / f"again{ending}").read_bytes() == (tmp_path / f"copy{ending}").read_bytes()


def test_a_packed_file_is_read_as_the_plain_one(foreign, assert_equal):
    assert_equal(load(foreign["example"].with_name("trace.cube.gz")), load(foreign["trace"]))


def test_cube_4_values_are_those_that_another_reader_finds(foreign):
    experiment = load(foreign["summary"])
    with CubexParser(foreign["summary"]) as other:
        for metric in other.all_metrics():
            ours = experiment.stored_inclusive(metric.name)
            if ours is None:
                ours = experiment.exclusive(metric.name)
            if f"{metric.id}.index" not in other._tar_file_members():
                assert not ours.any()
                continue
            values = other.get_metric_values(metric)
            rows = [values.cnode_values(other.get_cnode(path)).astype(float) for path in range(len(ours))]
            np.testing.assert_array_equal(ours, rows, metric.name)


def test_cube_4_has_machine_node_process_and_thread(foreign):
    places = load(foreign["summary"]).locations
    assert places[0] == Location("machine Linux", "node jf52c31", 0, 0)
    assert [place.process for place in places] == list(range(64))
    assert len({place.node for place in places}) == 8


def test_inclusive_values_of_cube_4_are_those_stored(foreign):
    experiment = load(foreign["summary"])
    summed = experiment.summed_up(experiment.exclusive("time"))
    np.testing.assert_allclose(experiment.inclusive("time"), summed, rtol=1e-9, atol=1e-9)


def test_threads_numbered_through_all_processes_are_numbered_within_each(foreign):
    profile, trace = load(foreign["profile"]), load(foreign["trace"])
    places = [(place.process, place.thread) for place in profile.locations]
    assert places == [(process, thread) for process in range(4) for thread in range(9)]
    assert places == [(place.process, place.thread) for place in trace.locations]


def test_topologies_have_dimensions_and_the_places_of_threads(foreign):
    first, second, *_ = load(foreign["example"]).topologies
    assert first.name == "Topology 1"
    assert first.dimensions == (("", 5, True), ("", 5, False))
    assert first.coordinates == {(1, 0): (0, 0)}
    assert second.dimensions[0] == ("X", 3, True)


def test_call_sites_and_display_names_are_kept(foreign):
    example = load(foreign["example"])
    assert [path.site for path in example.call_paths] == [21, 60, 80]
    assert [metric.display for metric in example.metrics] == ["Time", "User time", "NEWTime", "NEW User time"]


def test_sources_name_the_tool(foreign):
    assert load(foreign["profile"]).metric("time").source == "imported:Score-P 1.1"
