"""Divisions, denormal numbers and branches: exact numbers in regions."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass

import pytest

from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry, CacheLevel
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.simulated_events import SIMULATED_EVENTS

from .conftest import Lab
from .test_counts import near

pytestmark = pytest.mark.skipif(
    not shutil.which("valgrind") or platform.machine() != "x86_64", reason="valgrind on x86-64 is not here"
)

ROUNDS = 2000
USUAL = SIMULATED_EVENTS[:4]  # the events that are counted by default

KIB = 1 << 10
# Function → KiB that it walks through twice: more than L3 and the TLB hold, or as much as they hold.
WALKS = {"beyond": 512, "within": 128}
LEVELS = CacheGeometry(
    l2=CacheLevel(64 * KIB, 8, 64), l3=CacheLevel(256 * KIB, 16, 64), tlb=CacheLevel(128 * KIB, 4, 4096)
)

# Function → instructions of each iteration of its loop, with divisions, denormals, and branches of its own.
LOOPS = {
    "one": ("divsd %%xmm1, %%xmm2", 1, 0, 0),
    "root": ("sqrtss %%xmm1, %%xmm2", 1, 0, 0),
    "two": ("vdivpd %%ymm1, %%ymm1, %%ymm2; vsqrtps %%ymm2, %%ymm2", 2, 0, 0),
    "whole": ("cltd; movl %%edi, %%ecx; divl %%ecx; cltd; idivq %%rcx; movq %%rax, %%xmm2; movl $7, %%eax", 2, 0, 0),
    "operand": ("movsd %0, %%xmm2; addsd %%xmm1, %%xmm2; mulsd %1, %%xmm2", 0, 1, 0),
    "result": ("movsd %2, %%xmm2; mulsd %%xmm2, %%xmm2; movsd %%xmm2, %%xmm3", 0, 1, 0),
    "single": ("movss %3, %%xmm2; addss %%xmm1, %%xmm2", 0, 1, 0),
    "narrower": ("cvtsd2ss %6, %%xmm2", 0, 1, 0),
    "upper": ("movupd %4, %%xmm2; addsd %%xmm1, %%xmm2", 0, 0, 0),
    "both": ("movupd %4, %%xmm2; addpd %%xmm2, %%xmm2", 0, 1, 0),
    "wide": ("vmovupd %4, %%ymm2; vaddpd %%ymm2, %%ymm1, %%ymm2", 0, 1, 0),
    "least": ("movsd %7, %%xmm2; addsd %%xmm2, %%xmm2", 0, 0, 0),
    "single_least": ("movss %8, %%xmm2; addss %%xmm2, %%xmm2", 0, 0, 0),
    "nothing": ("pxor %%xmm2, %%xmm2; mulsd %%xmm2, %%xmm2; mulsd %1, %%xmm2", 0, 0, 0),
    "never": ("testl %%eax, %%eax; jp 2f; 2: nop; testq %%rsp, %%rsp; je 2f; nop; 2: nop", 0, 0, 2),
}


def function(name: str) -> str:
    each = LOOPS["operand" if name == "flushed" else name][0]
    return f"""
static void {name}(void) {{
    for (int once = 0; once < 1; once++)
        __asm__ volatile("movl ${ROUNDS}, %%edi; movsd %1, %%xmm1; vbroadcastsd %%xmm1, %%ymm1; xorl %%eax, %%eax;"
            "pxor %%xmm2, %%xmm2\\n\\t" /* code before may leave a pointer there, which is a denormal number */
            "1: {each}\\n\\tmovups %%xmm2, %5; subl $1, %%edi; jne 1b"
            : : "m"(tiny), "m"(usual), "m"(small), "m"(single_tiny), "m"(*mixed), "m"(used), "m"(narrow),
                "m"(least_double), "m"(least_float)
            : "rax", "rcx", "rdx", "rdi", "xmm1", "xmm2", "xmm3", "cc", "memory");
}}
"""


def walk(name: str) -> str:
    return f"""
static void {name}(void) {{
    for (int line = 0; line < 2 * {WALKS[name]} * 16; line++)
        *(volatile char *)&walked[64 * (line % ({WALKS[name]} * 16))] = 1;
}}
"""


PROGRAM = f"""
#include <float.h>
#include <immintrin.h>
#include <stdint.h>
static const double tiny = 1e-310, usual = 1.5, small = 1e-160, narrow = 1e-40, mixed[4] = {{1, 1e-310, 2, 3}};
static const double least_double = DBL_MIN; /* these are not denormal */
static const float single_tiny = 1e-40f, least_float = FLT_MIN;
static float used[4]; /* what nothing uses Valgrind does not compute */
{"".join(map(function, [*LOOPS, "flushed"]))}
static char walked[{512 * KIB}] __attribute__((aligned(4096)));
{"".join(map(walk, WALKS))}
/* What a generator of pseudorandom numbers gives cannot be told before. */
static void random_branches(void) {{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < {ROUNDS}; i++) {{
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x & 1)
            __asm__ volatile("");
    }}
}}
int main(void) {{
    {"(); ".join(LOOPS)}();
    random_branches();
    {"(); ".join(WALKS)}();
    _mm_setcsr(_mm_getcsr() | 0x8040);
    flushed();
    return 0;
}}
"""


@dataclass(frozen=True)
class Found:
    """Counts by function and event, summed over the call paths of each function."""

    values: dict[str, dict[str, float]]

    def of(self, name: str) -> list[float]:
        return [self.values[name][event] for event in USUAL]


def counted(lab: Lab, program: str, counters: str, geometry: CacheGeometry | None = None) -> Found:
    (shard,) = lab.count(program, counters=counters, geometry=geometry)
    run = merge_shards([shard], RunFacts())
    names = {event for event in SIMULATED_EVENTS if event in run}
    found: dict[str, dict[str, float]] = {}
    for number, path in enumerate(run.call_paths):
        own = found.setdefault(path.region.function, dict.fromkeys(SIMULATED_EVENTS, 0.0))
        for event in names:
            own[event] += float(run.exclusive(event)[number].sum())
    return Found(found)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(tmp_path_factory.mktemp("events"))


@pytest.fixture(scope="module")
def program(lab: Lab) -> str:
    return str(lab.build(PROGRAM, "-fno-inline", "-mavx"))


@pytest.fixture(scope="module")
def exact(lab: Lab, program: str) -> Found:
    return counted(lab, program, f"simulated:{','.join(SIMULATED_EVENTS)}", LEVELS)


def test_divisions_denormals_and_branches_are_exact(exact: Found) -> None:
    for name, (_, divisions, denormals, branches) in LOOPS.items():
        found = exact.values[name]
        assert found["divisions"] == divisions * ROUNDS, name
        assert found["denormals"] == denormals * ROUNDS, name
        assert found["branches"] == near((1 + branches) * ROUNDS), name
        assert found["branch_misses"] < 60, name  # until the history contains only the loop


def test_a_program_that_has_denormals_flushed_to_zero_has_none(exact: Found) -> None:
    assert exact.values["flushed"]["denormals"] == 0


def test_misses_of_the_third_level_and_of_the_tlb_are_those_of_what_they_do_not_hold(exact: Found) -> None:
    beyond, within = (exact.values[name] for name in WALKS)
    assert beyond["l3_misses"] == near(2 * 512 * 16)
    assert beyond["tlb_misses"] == near(2 * 128)
    assert within["l3_misses"] == near(128 * 16)  # on the first walk; on the second, only L2 misses
    assert within["tlb_misses"] == near(32)


def test_half_of_the_branches_on_random_bits_are_mispredicted(exact: Found) -> None:
    found = exact.values["random_branches"]
    assert found["branches"] == near(2 * ROUNDS)
    assert found["branch_misses"] == pytest.approx(ROUNDS / 2, rel=0.1)


def test_by_default_denormals_are_counted_as_soon_as_there_is_one(lab: Lab, program: str, exact: Found) -> None:
    found = counted(lab, program, "simulated")
    for name in exact.values:  # the predictor's state may differ
        assert found.of(name) == pytest.approx(exact.of(name), rel=0.01, abs=5), name
        assert found.values[name]["l3_misses"] == found.values[name]["tlb_misses"] == 0


def test_only_the_events_that_are_named_are_counted(lab: Lab, program: str, exact: Found) -> None:
    found = counted(lab, program, "simulated:divisions")
    assert found.values["two"] == {**dict.fromkeys(SIMULATED_EVENTS, 0.0), "divisions": 2.0 * ROUNDS}
