"""Exact counts of regions under the tool, the same in every run and with every MPI."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry, CacheLevel
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import Shard

from ...conftest import MPIS, for_several_programs
from .conftest import Lab, counts

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")

LINES = 1 << 15  # cache lines of 64 bytes per walk, more than L1 and L2 hold

# Each function is one region, and its loop another; a loop's counts include the few instructions around it.
LOOPS = f"""
#include <stdlib.h>
static double walked[8 * {LINES}] __attribute__((aligned(64)));
static void nops(long n) {{
    for (int once = 0; once < 1; once++)
        __asm__ volatile("1: nop\\n\\tnop\\n\\tnop\\n\\tsubq $1, %0\\n\\tjne 1b" : "+r"(n));
}}
static void walk(int stride) {{
    volatile double *to = walked;
    for (long i = 0; i < 8 * {LINES}; i += stride)
        to[i] = 1;
}}
static void change(void) {{
    for (long i = 0; i < 1000; i++)
        __asm__ volatile("addq $1, %0" : "+m"(walked[0]));
}}
static void straddle(void) {{
    for (long i = 0; i < 1000; i++)
        __asm__ volatile("movq 4(%0), %%rax" : : "r"(&walked[7]) : "rax", "memory");
}}
"""

CALLS_BACK = 3  # number of callbacks that MPI calls, each over this many lines

MPI_PROGRAM = f"""
#include <mpi.h>
{LOOPS}
static void combine(void *in, void *out, int *length, MPI_Datatype *type) {{
    for (long i = 0; i < 8 * {LINES}; i += 8)
        *(volatile double *)&walked[i] = 1;
}}
int main(int argc, char **argv) {{
    int rank, sum, one = 1;
    MPI_Op operation;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    nops(100000L * (rank + 1));
    walk(8);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Op_create(combine, 1, &operation);
    {"MPI_Reduce_local(&one, &sum, 1, MPI_INT, operation);" * CALLS_BACK}
    MPI_Op_free(&operation);
    MPI_Finalize();
    return 0;
}}
"""

# Instruction, source and target offsets, number of elements, number of 64-byte lines accessed, and number of lines
# missed.
STRINGS = {
    "stosb": ("rep stosb", 0, 0, 4096, 64, 64),
    "backwards": ("std; rep stosb; cld", 0, 4095, 4096, 64, 0),
    "movsq": ("rep movsq", 1 << 16 | 4, 0, 512, 65 + 64, 65),
    "cmpsb": ("repe cmpsb", 1 << 16, 0, 4096, 64 + 64, 0),
    "scasb": ("repe scasb", 0, (1 << 17) - 64, 4096, 2, 2),
    "nothing": ("rep stosb", 0, 0, 0, 0, 0),
}
STRING_ROUNDS = 20


def string_function(name: str) -> str:
    """Return a function with a loop of six instructions, one of which is a repeated string instruction."""
    words, source, to, elements, *_ = STRINGS[name]
    return f"""
static void {name}(void) {{
    for (int once = 0; once < 1; once++)
        __asm__ volatile("movl ${STRING_ROUNDS}, %%edx; xorl %%eax, %%eax\\n\\t"
            "1: leaq {source}(%0), %%rsi; leaq {to}(%0), %%rdi; movl ${elements}, %%ecx\\n\\t"
            "{words}; subl $1, %%edx; jne 1b" : : "r"(text) : "rsi", "rdi", "rax", "rcx", "rdx", "cc", "memory");
}}
"""


PLAIN_PROGRAM = f"""
{LOOPS}
static char text[1 << 18] __attribute__((aligned(64))) = {{[1 << 17] = 1}};
{"".join(map(string_function, STRINGS))}
int main(void) {{
    nops(100000);
    walk(8);
    walk(1);
    change();
    straddle();
    {"(); ".join(STRINGS)}();
    return 0;
}}
"""


def by_line(source: str, text: str) -> str:
    """Return the name of the loop on the line after the one with a text."""
    return f"loop@{source.splitlines().index(next(x for x in source.splitlines() if text in x)) + 2}"


def near(expected: int) -> object:
    """Return a value equal to a number, or to it with the few instructions that enter and leave the loop."""
    return pytest.approx(expected + 8, abs=8)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program without MPI, which several tests count."""
    return Lab(tmp_path_factory.mktemp("plain")).build(PLAIN_PROGRAM, "-fno-inline")


@pytest.fixture(scope="module")
def counted(plain: Path) -> Shard:
    """Return its counts with the usual caches."""
    (shard,) = Lab(plain.parent).count(plain)
    return shard


def test_counts_of_known_loops_are_exact(counted: Shard) -> None:
    found = counts(counted)
    nops = found[by_line(PLAIN_PROGRAM, "void nops")]
    assert nops["instructions"] == near(5 * 100000)
    assert nops["l1_accesses"] < 10
    walk = found[by_line(PLAIN_PROGRAM, "*to = walked")]
    assert walk["l1_accesses"] == near(9 * LINES)
    assert walk["l1_misses"] == near(2 * LINES)
    assert walk["l2_misses"] == pytest.approx(walk["l1_misses"], abs=8)
    assert walk["l2_accesses"] == walk["l1_misses"]
    assert counted.sources["l1_misses"] == "simulated:rtcount L1=32K/8/64 L2=1M/8/64"
    assert "cycles" not in counted.sources


def test_an_access_counts_once_whether_it_reads_and_writes_or_meets_two_lines(counted: Shard) -> None:
    found = counts(counted)
    change = found[by_line(PLAIN_PROGRAM, "void change")]
    assert change["l1_accesses"] == near(1000)
    straddle = found[by_line(PLAIN_PROGRAM, "void straddle")]
    assert straddle["l1_accesses"] == near(1000)
    assert straddle["l1_misses"] < 10


def test_a_repeated_string_instruction_is_one_and_accesses_each_line_once(counted: Shard) -> None:
    found = counts(counted)
    for name, (words, _, _, _, lines, missed) in STRINGS.items():
        loop = found[by_line(PLAIN_PROGRAM, f"void {name}(")]
        assert loop["instructions"] == near(STRING_ROUNDS * (6 + words.count(";"))), name
        assert loop["l1_accesses"] == pytest.approx(STRING_ROUNDS * lines, abs=4), name
        assert loop["l1_misses"] == pytest.approx(missed, abs=4), name


def test_a_cache_that_holds_the_data_misses_it_once(lab: Lab, plain: Path) -> None:
    geometry = CacheGeometry(CacheLevel(64 << 10, 16, 32), CacheLevel(4 << 20, 16, 32))
    (shard,) = lab.count(plain, geometry=geometry)
    walk = counts(shard)[by_line(PLAIN_PROGRAM, "*to = walked")]
    assert walk["l1_misses"] == near(3 * LINES)  # every other line of 32 bytes, then every line
    assert walk["l2_misses"] == near(2 * LINES)
    assert shard.sources["instructions"] == "simulated:rtcount L1=64K/16/32 L2=4M/16/32"


def test_counts_are_the_same_in_two_runs(plain: Path, counted: Shard) -> None:
    (again,) = Lab(plain.parent).count(plain)
    assert counts(again) == counts(counted)


Ranks = list[dict[str, dict[str, int]]]


@pytest.fixture(
    scope="module",
    params=[(), pytest.param(tuple(MPIS), marks=pytest.mark.nightly)],
    ids=["one rank", "two ranks"],
)
def under_every_mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Ranks]:
    """Return the counts under each MPI, of a program started by a script; at night also of a second one."""
    found = []
    for name, (launcher, compiler) in MPIS.items():
        if not shutil.which(launcher) or not shutil.which(compiler):
            pytest.skip(f"{launcher} is not installed")
        lab = Lab(tmp_path_factory.mktemp(launcher))
        program = lab.build(MPI_PROGRAM, "-fno-inline", compiler=compiler)
        script = lab.folder / "start"
        script.write_text(f"#!/bin/sh\nexec {program}\n")
        script.chmod(0o755)
        more = (":", "-n", "1", "env", "X=1", program) if name in request.param else ()
        shards = lab.count(for_several_programs(launcher), "-n", "1", script, *more)
        assert [shard.rank for shard in shards] == ([0, 1] if more else [0])
        found.append([counts(shard) for shard in shards])
    return found


@pytest.mark.nightly  # by day: the counts with one MPI
def test_counts_are_the_same_under_every_mpi(under_every_mpi: list[Ranks]) -> None:
    nops, walk = by_line(MPI_PROGRAM, "void nops"), by_line(MPI_PROGRAM, "*to = walked")
    for ranks in under_every_mpi:
        for rank, regions in enumerate(ranks):
            assert regions[nops]["instructions"] == near(500000 * (rank + 1))
            assert regions[walk]["l1_misses"] == near(LINES)
    first, *others = under_every_mpi
    for name in ("instructions", "l1_accesses"):
        wanted = [[regions[loop][name] for loop in (nops, walk)] for regions in first]
        found = [[[regions[loop][name] for loop in (nops, walk)] for regions in ranks] for ranks in others]
        assert found == [wanted[: len(ranks)] for ranks in others]


def test_what_mpi_calls_back_is_counted_and_simulated(under_every_mpi: list[Ranks]) -> None:
    for combine in (regions[by_line(MPI_PROGRAM, "void combine")] for ranks in under_every_mpi for regions in ranks):
        assert combine["l1_accesses"] == pytest.approx(CALLS_BACK * LINES, abs=30)
        assert combine["l1_misses"] == pytest.approx(CALLS_BACK * LINES, abs=30)
        assert combine["instructions"] < CALLS_BACK * 10 * LINES


def test_what_mpi_executes_stands_apart(under_every_mpi: list[Ranks]) -> None:
    for ranks in under_every_mpi:
        for regions in ranks:
            calls = next(region for name, region in regions.items() if region["mpi_instructions"] and "loop" in name)
            assert calls["mpi_instructions"] > 20 * 100
            assert calls["instructions"] < 20 * 20
            assert regions["MPI_Init"]["instructions"] == 0
            assert regions["MPI_Init"]["mpi_instructions"] > 100000


def test_the_experiment_has_the_metrics_that_were_counted(counted: Shard) -> None:
    experiment = merge_shards([counted], RunFacts())
    sources = {metric.name: metric.source for metric in experiment.metrics}
    counted = ["instructions", "mpi_instructions", "l1_accesses", "l1_misses", "l2_accesses", "l2_misses"]
    assert {sources[name] for name in counted} == {"simulated:rtcount L1=32K/8/64 L2=1M/8/64"}
    assert "cycles" not in sources
    misses = 2 * LINES + sum(each[-1] for each in STRINGS.values())
    assert experiment.inclusive("l1_misses")[0, 0] == pytest.approx(misses, abs=100)


THREADS = """
#include <pthread.h>
#include <stddef.h>
static double data[2][1 << 12] __attribute__((aligned(64)));
static void *work(void *mine) {
    volatile double *to = mine;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 1 << 12; i += 8)
            to[i] = 1;
    return NULL;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, work, data[0]);
    pthread_create(&two, NULL, work, data[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""


def test_threads_have_counts_and_caches_of_their_own(lab: Lab) -> None:
    program = lab.build(THREADS, "-pthread")
    (shard,) = lab.count(program)
    ours = [counts(shard, thread) for thread in range(1, len(shard.threads))]
    loops = [region for regions in ours for name, region in regions.items() if "loop" in name]
    assert sum(region["l1_accesses"] for region in loops) == pytest.approx(2 * 3 * 512, abs=40)
    # Each array fills one L1 cache; two arrays in one cache would miss on every walk.
    assert sum(region["l1_misses"] for region in loops) == pytest.approx(2 * 512, abs=20)
    assert counts(shard)["main"]["instructions"] < 10_000  # without the search for pthread_create


def test_avx512_is_named_with_the_way_out(lab: Lab, tmp_path: Path) -> None:
    program = lab.build('int main(void) { __asm__ volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0x57, 0xc0"); return 0; }')
    lab.count(program, status=-4)
    assert "compile with -march=x86-64-v3 -mno-fma" in (tmp_path / "said").read_text()
