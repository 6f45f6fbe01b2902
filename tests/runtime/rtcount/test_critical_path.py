"""The critical path of programs of which it is known, by instructions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    "copied": "5",
    "grouped": "5",
    "connected": "5",
    "merged": "5",
    "across_all": "4",
    "across_root": "4",
    "beside": "4",
    "windowed": "5",
    "unwindowed": "5",
    "fenced": "5",
    "unfenced": "3",
    "posted": "12",
}


def of_functions(experiment: Experiment, metric: str, names: Iterable[str]) -> dict[str, float]:
    """What functions have, with all that is called from them."""
    known = [path.region.name for path in experiment.call_paths]
    inclusive = np.asarray(experiment.inclusive(metric)).sum(axis=1)
    return {name: float(inclusive[known.index(name)]) for name in names}


def counted(lab: Lab, compiler: str, ranks: int) -> Experiment:
    text = (PROGRAMS / "path_shapes.c").read_text()
    program = lab.build(text, compiler=compiler)
    shards = lab.count(*LAUNCHERS[compiler], "-n", str(ranks), program, AUTOANALYZER_PATH="always")
    return merge_shards(shards, RunFacts())


@pytest.mark.parametrize(
    ("compiler", "ranks"),
    [
        ("mpicc.openmpi", 4),
        pytest.param("mpicc.mpich", 4, marks=pytest.mark.nightly),
        pytest.param("mpicc.openmpi", 8, marks=pytest.mark.nightly),
    ],
)
def test_the_path_of_each_shape_is_as_long_as_theory_says(lab: Lab, compiler: str, ranks: int) -> None:
    experiment = counted(lab, compiler, ranks)
    found = of_functions(experiment, "path_instructions", (*SHAPES, "master"))
    unit = found["alternating"] / 8
    lengths = {name: found[name] / unit for name in SHAPES}
    assert lengths == pytest.approx({name: eval(text, {}, {"P": ranks}) for name, text in SHAPES.items()}, rel=EXACT)
    assert 2 - EXACT < found["master"] / unit < 2 * (ranks - 1) + EXACT


TEAMS = """
#include <mpi.h>
#include <omp.h>
#define UNIT 20000
static void work(int units) {
    volatile double x = 1;
    for (long i = 0; i < (long)units * UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}
static void alone(void) {
    work(2);
}
static void start(void) {
    #pragma omp parallel num_threads(3)
    work(0);
}
static void together(int rank) {
    #pragma omp parallel num_threads(3)
    work(omp_get_thread_num() == rank ? 3 : 1);
}
int main(int argc, char **argv) {
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start();
    for (int i = 0; i < 2; i++) {
        alone();
        MPI_Barrier(MPI_COMM_WORLD);
        together(2 * rank);
        together(1 - rank);
    }
    MPI_Finalize();
}
"""


def test_a_team_adds_the_work_of_its_slowest_thread(lab: Lab) -> None:
    program = lab.build(TEAMS, "-fopenmp", compiler="mpicc.openmpi")
    shards = lab.count("mpirun.openmpi", "-n", "2", program, AUTOANALYZER_PATH="always", OMP_WAIT_POLICY="passive")
    experiment = merge_shards(shards, RunFacts())
    path = sum(of_functions(experiment, "path_instructions", ("alone", "together")).values())
    unit = of_functions(experiment, "instructions", ("alone",))["alone"] / 8  # 4 on each of two ranks
    assert path / unit == pytest.approx(2 * (2 + 3 + 3), rel=EXACT)
