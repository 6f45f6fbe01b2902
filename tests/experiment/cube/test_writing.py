"""Written files are readable for the tools of CUBE: the XML's spelling, and every value."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import numpy as np
import pytest
from pycubexr import CubexParser

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, load, save
from autoanalyzer.experiment.topology import Topology

from .spelling import check_spelling

ENDINGS = (".cube", ".cubex")


def region(name: str) -> Region:
    return Region("function", name, "a.c", name, 0, 1, 9)


# Neither roots first nor depth first, two machines, and text with characters that XML must escape.
PATHS = (
    CallPath(region("main")),
    CallPath(region("a<&\"'\n b>"), 0, 7),
    CallPath(region("second root")),
    CallPath(region("c"), 0),
    CallPath(region("d"), 1, 3),
    CallPath(region("e"), 2),
    CallPath(region("f"), 3),
)
VALUES = np.array([[0.5, 1, 2, 4], [0] * 4, [-1, 0.1, 3e300, 5e-324], [0, 0, -0.0, 0], [np.nan] * 4, [7] * 4, [0] * 4])
WHOLE = np.array([[5, 1, 2, 4], [0] * 4, [2**40, 1, 3, 5], [9] * 4, [1] * 4, [7] * 4, [0, 0, 0, 1.0]])


@pytest.fixture
def odd() -> Experiment:
    values = dict.fromkeys(("time", "least", "percent", "not whole", "foreign"), VALUES)
    values |= {"mpi": VALUES / 2, "zero": np.zeros_like(WHOLE)}
    values |= {"whole": WHOLE, "small": WHOLE % 100, "negative": -WHOLE}
    return Experiment(
        metrics=[
            Metric("time", "sec", description="x & y < z"),
            Metric("whole", "occ", dtype="UINT64"),
            Metric("mpi", "sec", "time", display="MPI"),
            Metric("not whole", "occ", "whole", dtype="INTEGER"),
            Metric("least", "sec", dtype="MINDOUBLE"),
            Metric("percent", "%"),
            Metric("zero", "occ"),
            Metric("small", "occ", dtype="UINT8"),
            Metric("negative", "occ", dtype="UINT64", additive=False),
            Metric("foreign", "occ", dtype="TAU POINT"),
        ],
        call_paths=PATHS,
        locations=[Location("m", "n1", 0), Location("m", "n1", 1), Location("m", "n0", 2), Location("k", "q", 3)],
        severities=values,
        notes=Notes(program="a & b's", command=("x", "<y>")),
        topologies=[
            Topology("grid's", (("x", 2, True), ("", 2, False)), {(r, 0): (r // 2, r % 2) for r in range(4)}),
            Topology("", (("", 9, False),), {(3, 0): (8,)}),
        ],
    )


def head_of(file: Path) -> str:
    if file.suffix != ".cubex":
        return file.read_text()
    with tarfile.open(file) as archive:
        member = archive.extractfile("anchor.xml")
        assert member
        return member.read().decode()


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_spelled_as_the_tools_of_cube_read_it(ending, odd, tmp_path):
    save(odd, tmp_path / f"e{ending}")
    check_spelling(head_of(tmp_path / f"e{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["example", "profile", "summary"])
def test_so_is_what_is_written_of_the_files_of_other_tools(name, ending, foreign, tmp_path):
    save(load(foreign[name]), tmp_path / f"e{ending}")
    check_spelling(head_of(tmp_path / f"e{ending}"))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('<?xml version="1.0" encoding="UTF-8"?>', "<?xml version='1.0' encoding='UTF-8'?>"),
        ("<url></url>", "<url/>"),
        ('<cart name="grid\'s" ndims="2">', '<cart ndims="2" name="grid\'s">'),
        ('<cube version="3.0">', '<cube version="3.1">'),
        ('<coord thrdId="3">8</coord>', ""),
        ("<rank>3</rank>", "<rank> 3</rank>"),
        ("</uniq_name>", "</uniq_name>text"),
        ("<name>k</name>", ""),
        ('<metric id="0">', '<metric id="zero">'),
        ("</severity>", "</severity><severity></severity>"),
    ],
)
def test_the_grammar_refuses_any_other_spelling(right, wrong, odd, tmp_path):
    save(odd, tmp_path / "e.cube")
    text = head_of(tmp_path / "e.cube")
    assert right in text
    with pytest.raises(AssertionError):
        check_spelling(text.replace(right, wrong, 1))


@pytest.mark.parametrize("ending", ENDINGS)
def test_everything_is_read_back(ending, odd, tmp_path, assert_equal):
    save(odd, tmp_path / f"e{ending}")
    assert_equal(load(tmp_path / f"e{ending}"), odd)


@pytest.mark.parametrize("name", ["example", "profile", "trace"])
def test_cube_3_written_as_cube_4_and_back_is_the_same_file(name, foreign, tmp_path):
    save(load(foreign[name]), tmp_path / "one.cube")
    save(load(tmp_path / "one.cube"), tmp_path / "two.cubex")
    save(load(tmp_path / "two.cubex"), tmp_path / "three.cube")
    assert (tmp_path / "three.cube").read_bytes() == (tmp_path / "one.cube").read_bytes()


def test_inclusive_values_of_cube_4_are_written_as_they_were_read(foreign, tmp_path, assert_equal):
    first = load(foreign["summary"])
    save(first, tmp_path / "e.cubex")
    again = load(tmp_path / "e.cubex")
    assert_equal(again, first)
    for metric in first.metrics:
        np.testing.assert_array_equal(again.inclusive(metric.name), first.inclusive(metric.name), metric.name)
    assert again.stored_inclusive("time") is not None


@pytest.mark.parametrize("name", ["example", "profile", "summary"])
def test_another_reader_finds_the_same_values(name, foreign, tmp_path):
    experiment = load(foreign[name])
    save(experiment, tmp_path / "e.cubex")
    with CubexParser(tmp_path / "e.cubex") as other:
        assert [metric.name for metric in other.all_metrics()] == [metric.name for metric in experiment.metrics]
        for metric in other.all_metrics():
            inclusive = experiment.stored_inclusive(metric.name)
            ours = experiment.exclusive(metric.name) if inclusive is None else inclusive
            if f"{metric.id}.index" not in other._tar_file_members():
                assert not np.nan_to_num(ours).any()
                continue
            values = other.get_metric_values(metric)
            rows = [values.cnode_values(other.get_cnode(path)).astype(float) for path in range(len(ours))]
            if metric.data_type in ("MINDOUBLE", "MAXDOUBLE"):
                ours = np.where(np.isnan(ours), rows, ours)
            np.testing.assert_array_equal(ours, rows, metric.name)


def test_values_that_are_not_of_their_metrics_type_are_written_as_floating_point_numbers(odd, tmp_path):
    for ending in ENDINGS:
        save(odd, tmp_path / f"e{ending}")
        text = head_of(tmp_path / f"e{ending}")
        types = dict(zip(*(re.findall(f"<{tag}>(.*)</{tag}>", text) for tag in ("uniq_name", "dtype")), strict=True))
        assert types["whole"] == "UINT64"
        assert types["small"] == "UINT8"
        assert types["least"] == "MINDOUBLE"
        assert types["not whole"] == types["negative"] == "DOUBLE"


def test_a_call_path_without_a_least_value_has_none_and_one_of_zeros_has_zeros(odd, tmp_path):
    save(odd, tmp_path / "e.cubex")
    found = load(tmp_path / "e.cubex").exclusive("least")
    np.testing.assert_array_equal(found, VALUES)


def test_no_member_ends_with_a_block(odd, tmp_path):
    """If a member ends with a block, cubelib expects an empty block, which others take for the end of the archive."""
    seen = set()
    for length in range(512):
        save(odd.replaced(notes=Notes(program="x" * length)), tmp_path / "e.cubex")
        with tarfile.open(tmp_path / "e.cubex") as archive:
            sizes = [member.size % 512 for member in archive]
        assert all(sizes)
        seen |= set(sizes)
        (tmp_path / "e.cubex").unlink()  # replacing a file would wait for the disk
    assert set(range(1, 512)) <= seen


def test_more_than_a_member_can_hold_is_refused_and_nothing_is_left(odd, tmp_path, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.cube.cubex_writer._LARGEST", 100)
    with pytest.raises(
        InputError, match=r"expected at most 100 bytes of 0\.data, found [0-9,]+; leave out regions or ranks"
    ):
        save(odd, tmp_path / "e.cubex")
    assert list(tmp_path.iterdir()) == []


def test_infinity_is_not_written(odd, tmp_path):
    broken = odd.replaced(severities={each.name: odd.exclusive(each.name).copy() for each in odd.metrics})
    broken.exclusive("mpi")[0, 0] = np.inf
    with pytest.raises(InputError, match="expected finite values of mpi, found infinity"):
        save(broken, tmp_path / "e.cubex")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_topology_that_the_tools_of_cube_refuse_is_left_out(ending, odd, tmp_path):
    more = [*odd.topologies, Topology("no place", (("", 9, False),), {}), Topology("no size", (), {(0, 0): ()})]
    save(odd.replaced(topologies=more), tmp_path / f"e{ending}")
    check_spelling(head_of(tmp_path / f"e{ending}"))
    assert load(tmp_path / f"e{ending}").topologies == odd.topologies


def test_every_row_of_a_minimum_is_written(odd, tmp_path):
    save(odd, tmp_path / "e.cube")
    text = head_of(tmp_path / "e.cube")
    number = [metric.name for metric in odd.metrics].index("least")
    matrix = re.search(f'<matrix metricId="{number}">(.*?)</matrix>', text, re.DOTALL)
    assert matrix
    assert matrix[1].count("<row") == len(PATHS)


def test_characters_that_are_none_are_written_as_numbers(odd, tmp_path):
    metrics = [Metric("text", "occ", dtype="CHAR")]
    save(odd.replaced(metrics=metrics, severities={"text": WHOLE + 0.5}, topologies=()), tmp_path / "e.cube")
    assert "<dtype>DOUBLE</dtype>" in head_of(tmp_path / "e.cube")
    assert load(tmp_path / "e.cube").metrics == tuple(metrics)
