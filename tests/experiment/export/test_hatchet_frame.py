"""GraphFrames of Hatchet and Thickets have the same trees and values as experiments."""

import sys

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load, to_hatchet, to_thicket

from .conftest import DATA


def nodes_of(experiment, frame):
    """Return the node of each call path; assert that the trees are equal."""
    nodes = {}
    pending = list(zip(experiment.roots, frame.graph.roots, strict=True))
    while pending:
        path, node = pending.pop()
        region = experiment.call_paths[path].region
        assert (node.frame["name"], node.frame["type"]) == (region.name, region.kind)
        assert node.frame["file"] == region.file
        nodes[path] = node
        pending += zip(experiment.children[path], node.children, strict=True)
    assert len(nodes) == len(experiment.call_paths)
    return nodes


@pytest.mark.parametrize("name", ["rays.cube.gz", "hybrid.cube.gz", "profile.cube.gz"])
def test_the_tree_is_ours_on_all_values(name):
    experiment = load(DATA / name)
    frame = to_hatchet(experiment)
    nodes = nodes_of(experiment, frame)
    levels = [level for level in ("rank", "thread") if level in frame.dataframe.index.names]
    assert levels == (["rank"] if name == "rays.cube.gz" else ["rank", "thread"])
    places = [
        tuple({"rank": each.process, "thread": each.thread}[level] for level in levels) for each in experiment.locations
    ]
    rows = [(nodes[path], *place) for path in range(len(experiment.call_paths)) for place in places]
    table = frame.dataframe.loc[rows]
    for metric in experiment.metrics:
        np.testing.assert_array_equal(table[metric.name], experiment.exclusive(metric.name).ravel())
        if metric.aggregation == "none":
            assert f"{metric.name} (inc)" not in table
        else:
            np.testing.assert_array_equal(table[f"{metric.name} (inc)"], experiment.inclusive(metric.name).ravel())
    assert table["line"].iloc[:: len(places)].tolist() == [path.region.first_line for path in experiment.call_paths]
    assert set(frame.exc_metrics) == {each.name for each in experiment.metrics}


def test_hatchet_adds_up_what_we_do_and_prints_the_tree(real):
    frame = to_hatchet(real, ["wall_time"], together=True)
    nodes = nodes_of(real, frame)
    frame.subtree_sum(["wall_time"], ["theirs"])
    for path, node in nodes.items():
        row = frame.dataframe.loc[node]
        assert row["wall_time (inc)"] == pytest.approx(real.inclusive("wall_time")[path].sum(), rel=1e-12)
        assert row["theirs"] == pytest.approx(row["wall_time (inc)"], rel=1e-12)
    assert frame.metadata["program"] == "rays"
    drawn = frame.tree(metric_column="wall_time (inc)")
    assert all(path.region.name in drawn for path in real.call_paths)
    few = frame.filter(lambda row: row["wall_time (inc)"] > 1, squash=True)
    assert {each.frame["name"] for each in few.graph.traverse()} < {path.region.name for path in real.call_paths}


def test_a_missing_library_or_metric_is_said_in_a_line(made, monkeypatch):
    with pytest.raises(InputError, match="no metric 'x'"):
        to_hatchet(made, ["x"])
    with pytest.raises(InputError, match="expected at least one run, found none"):
        to_thicket({})
    for library in ("hatchet", "thicket"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=r"this function needs hatchet: pip install 'autoanalyzer\[hatchet\]'"):
        to_hatchet(made)
    with pytest.raises(InputError, match=r"this function needs thicket: pip install 'autoanalyzer\[thicket\]'"):
        to_thicket({"a": made})


def test_a_thicket_has_a_row_a_call_path_and_run(real):
    runs = {"first": real, "second": load(DATA / "rays_dynamic.cube.gz")}
    thicket = to_thicket(runs, ["wall_time", "mpi_bytes"])
    assert sorted(thicket.profile_mapping.values()) == ["first", "second"]
    assert set(thicket.metadata["program"]) == {"rays"}
    table = thicket.dataframe.reset_index()
    for number, name in thicket.profile_mapping.items():
        rows = table[(table["profile"] == number) & ~table["wall_time"].isna()]  # other rows are only of the other run
        found = sorted(zip(rows["name"], rows["line"], rows["wall_time"], rows["mpi_bytes"], strict=True))
        values = [runs[name].exclusive(metric).sum(axis=1) for metric in ("wall_time", "mpi_bytes")]
        regions = [path.region for path in runs[name].call_paths]
        expected = sorted((each.name, each.first_line, *both) for each, *both in zip(regions, *values, strict=True))
        assert [each[:2] for each in found] == [each[:2] for each in expected]
        np.testing.assert_allclose([each[2:] for each in found], [each[2:] for each in expected], rtol=1e-12)
    assert to_thicket({"alone": real}, ["visits"]).dataframe["visits"].sum() == real.exclusive("visits").sum()
