import resource
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, load, save

DATA = Path(__file__).parents[2] / "data"
ROOM = Region("function", "main", "dir/a|b.c", "main", 0, 1, 9)


@pytest.fixture
def experiment() -> Experiment:
    values = np.array([[0.1 + 0.2, 0.0], [np.nan, 1e-300], [-2.5, 12345678901234567.0]])
    return Experiment(
        metrics=[
            Metric("wall_time", "sec"),
            Metric("mpi_time", "sec", "wall_time", "d", "simulated:x"),
            Metric("wall_time.stddev", "sec", additive=False),
        ],
        call_paths=[CallPath(ROOM), CallPath(Region("loop", "loop@3", "a.c", "main", 0, 3, 4), 0), CallPath(ROOM)],
        locations=[Location("m", "n1", 0), Location("m", "n0", 1)],
        severities={"wall_time": values, "mpi_time": np.zeros((3, 2)), "wall_time.stddev": values},
        notes=Notes(program="a & b", command=("x", "<y>")),
    )


def test_what_is_written_is_read_back_bit_for_bit(experiment: Experiment, tmp_path: Path):
    save(experiment, tmp_path / "e.cube")
    found = load(tmp_path / "e.cube")
    assert found.metrics == experiment.metrics
    assert found.call_paths == experiment.call_paths
    assert found.locations == experiment.locations
    assert found.notes == experiment.notes
    for metric in experiment.metrics:
        np.testing.assert_array_equal(found.exclusive(metric.name), experiment.exclusive(metric.name))


@pytest.mark.parametrize("ending", [".cube", ".cubex"])
def test_wherever_the_disk_is_full_it_is_said_and_nothing_left(ending: str, experiment: Experiment, tmp_path: Path):
    whole, file = tmp_path / f"whole{ending}", tmp_path / f"e{ending}"
    save(experiment, whole)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in range(0, whole.stat().st_size, 40):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            with pytest.raises(InputError, match=rf"e\{ending}: cannot be written: File too large"):
                save(experiment, file)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert list(tmp_path.iterdir()) == [whole]


def test_a_deep_call_path_is_written_and_read(tmp_path: Path):
    count = 1500
    paths = [CallPath(ROOM, index - 1 if index else None) for index in range(count)]
    deep = Experiment(
        metrics=[Metric("visits", "occ")],
        call_paths=paths,
        locations=[Location("m", "n", 0)],
        severities={"visits": np.ones((count, 1))},
    )
    save(deep, tmp_path / "e.cube")
    assert load(tmp_path / "e.cube").call_paths == deep.call_paths


def test_names_that_xml_cannot_hold_are_written_with_a_replacement(tmp_path: Path):
    odd = Experiment(
        metrics=[Metric("visits", "occ")],
        call_paths=[CallPath(Region("function", "f", "a\udce9\x01.c", "f"))],
        locations=[Location("m", "n\x00", 0)],
        severities={"visits": np.ones((1, 1))},
    )
    save(odd, tmp_path / "e.cube")
    assert load(tmp_path / "e.cube").call_paths[0].region.file == "a\ufffd\ufffd.c"


@pytest.mark.parametrize("name", [" m", "m ", "\xa0m", "\u2028", "a\x01", "m\ufffe", "\n", "a\udce9"])
def test_a_metric_that_would_be_read_back_under_another_name_is_not_written(name: str, tmp_path: Path):
    with pytest.raises(InputError, match=r"a metric name without control characters.*, found") as caught:
        save(of_one_metric(name), tmp_path / "e.cube")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a b", "a\nb", "a\r\n\tb", "é", "<&>\"'", ""])
def test_any_other_name_of_a_metric_is_read_back_with_what_belongs_to_it(name: str, tmp_path: Path):
    made = of_one_metric(name)
    save(made, tmp_path / "e.cube")
    assert load(tmp_path / "e.cube").metrics == made.metrics


def of_one_metric(name: str) -> Experiment:
    return Experiment(
        metrics=[Metric(name, "1", source="simulated:x", additive=False)],
        call_paths=[CallPath(ROOM)],
        locations=[Location("m", "n", 0)],
        severities={name: np.ones((1, 1))},
    )


def test_the_file_of_another_tool_is_read():
    example = load(DATA / "example.cube")
    assert [metric.parent for metric in example.metrics] == [None, "Uniq_name1", "Uniq_name1", "Uniq_name3"]
    assert [example.path_name(path) for path in range(3)] == ["", "<<init>>foo", "<<loop>>bar"]
    own = example.exclusive("Uniq_name1") - example.exclusive("Uniq_name2") - example.exclusive("Uniq_name3")
    assert own.sum(axis=1).tolist() == [3135.8, 3691.3, pytest.approx(642.3)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found an empty file"),
        (b"\x7fELF\x02\x01", "found a file of another kind"),
        (b"<cube version='3.0'><metrics>", "broken XML"),
        (b"<profile/>", "found XML with the root element <profile>"),
        (b"<cube version='4.3'/>", "version 3, found version 4.3"),
        (b"<cube version='3.0'/>", "expected a system of processes"),
        (b'<!DOCTYPE cube [<!ENTITY a "b">]><cube version="3.0"><attr key="k" value="&a;"/></cube>', "refused"),
        (b'<!DOCTYPE cube SYSTEM "file:///etc/passwd"><cube version="3.0"/>', "refused"),
        (b"<cube version='3.0'><attr key='autoanalyzer' value='9'/></cube>", "format version 1, found version 9"),
        (
            b"<cube version='3.0'><program><cnode id='0' calleeId='7'/></program></cube>",
            "a call path refers to region 7, which does not exist",
        ),
        (b"<cube version='3.0'><program><cnode/></program></cube>", "broken or missing"),
    ],
)
def test_a_file_that_is_no_experiment_is_refused_in_one_line(content: bytes, message: str, tmp_path: Path):
    file = tmp_path / "e.cube"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"none\.cube: cannot be read: No such file"):
        load(tmp_path / "none.cube")


def test_an_entity_bomb_is_refused_before_it_grows(tmp_path: Path):
    file = tmp_path / "bomb.cube"
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "x"}">' for n in range(12))
    file.write_text(f'<!DOCTYPE cube [{entities}]><cube version="3.0"><attr key="k" value="&a11;"/></cube>')
    with pytest.raises(InputError):
        load(file)


def test_an_interrupted_write_leaves_nothing_behind(experiment: Experiment, tmp_path: Path):
    with pytest.raises(InputError, match="cannot be written"):
        save(experiment, tmp_path / "no" / "e.cube")
    experiment.notes.clocks["bad"] = object()  # type: ignore[assignment]
    with pytest.raises(TypeError):
        save(experiment, tmp_path / "e.cube")
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_without_locations_is_not_written(tmp_path: Path):
    empty = Experiment(
        metrics=[Metric("time", "sec")], call_paths=[], locations=[], severities={"time": np.empty((0, 0))}
    )
    with pytest.raises(InputError, match="at least one process, found none"):
        save(empty, tmp_path / "e.cube")
    assert list(tmp_path.iterdir()) == []
