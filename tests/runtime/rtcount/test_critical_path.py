"""The critical path by instructions, of programs for which it is known."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards

from ..conftest import PROGRAMS
from ..path_shapes import FURTHER, SHAPES, VISITS, in_units, of_functions, of_parts
from .conftest import Lab

EXACT: Final = 1e-3
SHARE: Final = 1e-2  # tolerance for a part, as a share of the path
TEAMS: Final = {"teams": "16", "persistent": "6", "phases": "12", "cancelled": "3", "tasks": "24", "wide": "40"}
LAUNCHERS: Final = {"mpicc.openmpi": ("mpirun.openmpi", "--oversubscribe"), "mpicc.mpich": ("mpirun.mpich",)}


def counted(lab: Lab, compiler: str, ranks: int, *shapes: str) -> tuple[Experiment, list[float]]:
    """Count the instructions on a program's path, and those of the slowest threads of each rank's teams."""
    text = (PROGRAMS / "path_shapes.c").read_text()
    program = lab.build(text, "-fopenmp", compiler=compiler)
    command = (*LAUNCHERS[compiler], "-n", str(ranks), program, *shapes)
    shards = lab.count(*command, AUTOANALYZER_PATH="always", OMP_WAIT_POLICY="passive", OMP_CANCELLATION="true")
    teams = [float(shard.chains.entries("team")["work"].sum()) for shard in shards if shard.chains]
    return merge_shards(shards, RunFacts()), teams


def assert_parts(experiment: Experiment, unit: float, ranks: int) -> None:
    """Assert that each shape's functions have the expected time on the path, on the ranks on which they are late."""
    values = np.asarray(experiment.exclusive("path_instructions"))
    for shape, (length, parts) in SHAPES.items():
        found = of_parts(experiment, values, shape)
        expected = {part: in_units(text, ranks) for part, text in parts.items()}
        near = pytest.approx(expected, abs=SHARE * in_units(length, ranks))
        assert {part: found[part] / unit for part in expected} == near, shape


def assert_visits(experiment: Experiment, ranks: int) -> None:
    """Assert that more visits of a function are on the path than on any rank, if ranks pass on results."""
    on_path, visits = (experiment.exclusive(name) for name in ("path_visits", "visits"))
    found = {
        (experiment.call_paths[above].region.name, path.region.name): (on_path[index].sum(), visits[index].max())
        for index, path in enumerate(experiment.call_paths)
        for above in experiment.ancestors(index)
    }
    expected = {each: tuple(in_units(text, ranks) for text in texts) for each, texts in VISITS.items()}
    assert {each: found[each] for each in expected} == expected


@pytest.mark.parametrize(
    ("compiler", "ranks"),
    [
        ("mpicc.openmpi", 2),
        pytest.param("mpicc.openmpi", 4, marks=pytest.mark.nightly),
        pytest.param("mpicc.openmpi", 8, marks=pytest.mark.nightly),
        pytest.param("mpicc.mpich", 4, marks=pytest.mark.nightly),
    ],
)
def test_the_path_of_each_shape_is_as_long_as_theory_says(lab: Lab, compiler: str, ranks: int) -> None:
    expected = {name: length for name, (length, _) in SHAPES.items()} | TEAMS
    expected |= FURTHER if ranks >= 4 else {}
    experiment, of_teams = counted(lab, compiler, ranks, "master", *expected)
    values = np.asarray(experiment.exclusive("path_instructions"))
    found = of_functions(experiment, values, (*expected, "master"))
    unit = found["alternating"] / 8
    lengths = {name: found[name] / unit for name in expected}
    assert lengths == pytest.approx({name: in_units(text, ranks) for name, text in expected.items()}, rel=EXACT)
    assert 2 * (1 - EXACT) < found["master"] / unit < 2 * (ranks - 1) * (1 + EXACT)
    assert np.array(of_teams) / unit == pytest.approx([2 * (3 + 3) + 6 + 12 + 3 + 24 + 40] * ranks, rel=EXACT)
    parts = of_functions(experiment, values, [f"wide_{number}" for number in range(10, 50)])
    assert list(parts.values()) == pytest.approx([unit] * 40, rel=SHARE)
    assert_parts(experiment, unit, ranks)
    assert_visits(experiment, ranks)
