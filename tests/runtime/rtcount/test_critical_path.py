"""The critical path of programs of which it is known, by instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards

from ..conftest import PROGRAMS
from .conftest import Lab

EXACT: Final = 1e-3
LAUNCHERS: Final = {"mpicc.openmpi": ("mpirun.openmpi", "--oversubscribe"), "mpicc.mpich": ("mpirun.mpich",)}

# By the number of ranks, in units of work; of a master the least.
SHAPES: Final[Mapping[str, str]] = {
    "chain": "3 * (2 + P + 1)",
    "one_late": "9",
    "alternating": "8",
    "full_pipeline": "P + 5",
    "empty_pipeline": "P",
    "wavefront": "P / 2 + 3",
    "hidden": "5",
    "exposed": "4",
    "late_root": "4",
    "early_root": "4",
    "root_works": "4",
    "halves": "3",
    "lower_ranks": "3",
    "higher_rank": "3",
    "begun": "4",
    "token": "P",
}


def of_shapes(experiment: Experiment, metric: str) -> dict[str, float]:
    """What each shape has, with all that is called from it."""
    names = [path.region.name for path in experiment.call_paths]
    inclusive = np.asarray(experiment.inclusive(metric)).sum(axis=1)
    return {name: float(inclusive[names.index(name)]) for name in (*SHAPES, "master")}


def counted(lab: Lab, compiler: str, ranks: int) -> Experiment:
    text = (PROGRAMS / "path_shapes.c").read_text()
    program = lab.build(text, compiler=compiler)
    shards = lab.count(*LAUNCHERS[compiler], "-n", str(ranks), program, AUTOANALYZER_PATH="always")
    return merge_shards(shards, RunFacts())


@pytest.mark.parametrize(("compiler", "ranks"), [("mpicc.openmpi", 4), ("mpicc.mpich", 4), ("mpicc.openmpi", 8)])
def test_the_path_of_each_shape_is_as_long_as_theory_says(lab: Lab, compiler: str, ranks: int) -> None:
    experiment = counted(lab, compiler, ranks)
    found = of_shapes(experiment, "path_instructions")
    unit = found["alternating"] / 8
    lengths = {name: found[name] / unit for name in SHAPES}
    assert lengths == pytest.approx({name: eval(text, {}, {"P": ranks}) for name, text in SHAPES.items()}, rel=EXACT)
    assert 2 - EXACT < found["master"] / unit < 2 * (ranks - 1) + EXACT
