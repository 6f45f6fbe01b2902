"""What probes ask of the tool: without leaving the program's code, and in what a library calls back."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.command import counting_command
from autoanalyzer.runtime.launch import measured_environment
from autoanalyzer.runtime.mpi.detection import find_mpi

from ...conftest import MPIS
from .conftest import Lab, counts
from .test_counts import by_line

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")

SHORT_VISITS = """
#include <stdlib.h>
static int part(int n) {
    char text[2] = {'0' + n % 10};
    return atoi(text);
}
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < atoi(argv[1]); i++)
        sum += part(i);
    return sum & 0;
}
"""


def scheduled(lab: Lab, program: Path, visits: int) -> int:
    """How often Valgrind's scheduler had to be asked when a region was entered so often, counted."""
    shards = lab.folder / "shards"
    shards.mkdir(exist_ok=True)
    environment = measured_environment(probe_library(find_mpi([str(program)])), shards)
    words, environment = counting_command([str(program), str(visits)], CacheGeometry(), environment)
    said = lab.run([words[0], "--stats=yes", *words[1:]], environment)
    found = re.search(r"/([\d,]+) major/minor sched events", said)
    assert found, said
    return int(found[1].replace(",", ""))


@pytest.mark.skipif("os.uname().machine != 'x86_64'")
def test_entering_a_region_leaves_translated_code_as_seldom_as_not_entering_it(lab: Lab) -> None:
    program = lab.build(SHORT_VISITS, "-fno-inline")
    assert scheduled(lab, program, 20000) - scheduled(lab, program, 1) < 1000


CALLED_BACK = """
#include <mpi.h>
static int values[1 << 15] __attribute__((aligned(64)));
static void combine(void *in, void *out, int *length, MPI_Datatype *type) {
    for (long i = 0; i < 1 << 15; i += 16)
        *(volatile int *)&values[i] = 1;
}
int main(int argc, char **argv) {
    int one = 1;
    MPI_Op operation;
    MPI_Init(&argc, &argv);
    MPI_Op_create(combine, 1, &operation);
    for (int i = 0; i < 3; i++)
        MPI_Reduce_local(&one, values, 1, MPI_INT, operation);
    MPI_Op_free(&operation);
    MPI_Finalize();
    return 0;
}
"""


def test_what_mpi_calls_back_is_counted_and_simulated(lab: Lab) -> None:
    launcher, compiler = next(iter(MPIS.values()))
    if not shutil.which(launcher):
        pytest.skip(f"{launcher} is not installed")
    (shard,) = lab.count(lab.build(CALLED_BACK, "-fno-inline", compiler=compiler))
    combine = counts(shard)[by_line(CALLED_BACK, "void combine")]
    lines = 4 * (1 << 15) // 64
    assert combine["l1_accesses"] == pytest.approx(3 * lines, abs=30)
    assert combine["l1_misses"] == pytest.approx(3 * lines, abs=30)
    assert combine["instructions"] < 3 * 10 * lines
