"""Misses equal those of a cache simulation in a few lines of Python, access by access."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ...conftest import run
from .conftest import Lab

pytestmark = pytest.mark.skipif(
    not shutil.which("valgrind") or platform.machine() != "x86_64", reason="valgrind on x86-64 is not here"
)

REQUESTS = Path(__file__).parents[3] / "runtime" / "probe"
ROUNDS, RANDOM, SEED = 40_000, 1 << 19, 88172645463325252  # rounds; bytes of which each round reads eight
FACTOR, SUMMAND, WORD = 6364136223846793005, 1442695040888963407, 1 << 64

# Each iteration reads from a random place and writes the next word; between the requests, there are no other accesses.
PROGRAM = f"""
#include <stdint.h>
#include <stdio.h>
#include <valgrind/valgrind.h>
#include "counter_requests.h"
#define ASK "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx\\n\\t"
static char data[{RANDOM} + 64 + 8 * {ROUNDS}] __attribute__((aligned(1 << 20)));
int main(void) {{
    struct aa_rtcount_counts before = {{0}}, after = {{0}};
    uint64_t go[6] = {{AA_RTCOUNT_GO, 1}}, stop[6] = {{AA_RTCOUNT_STOP, (uintptr_t)&after}}, x = {SEED}u;
    char *next = data + {RANDOM} + 64, *end = data + sizeof data;
    VALGRIND_DO_CLIENT_REQUEST_EXPR(0, AA_RTCOUNT_STOP, &before, 0, 0, 0, 0);
    __asm__ volatile(
        "movq %[go], %%rax; xorl %%edx, %%edx\\n\\t" ASK
        "1: imulq %[factor], %[x]; addq %[summand], %[x]\\n\\t"
        "movq %[x], %%rcx; shrq $33, %%rcx; andq %[mask], %%rcx\\n\\t"
        "movq (%[data],%%rcx), %%rax\\n\\t"
        "movq %%rax, (%[next]); addq $8, %[next]; cmpq %[end], %[next]; jne 1b\\n\\t"
        "movq %[stop], %%rax; xorl %%edx, %%edx\\n\\t" ASK
        : [x] "+r"(x), [next] "+r"(next)
        : [go] "r"(go), [stop] "r"(stop), [end] "r"(end), [data] "r"(data), [mask] "r"({RANDOM - 1}ul),
          [factor] "r"({FACTOR}ul), [summand] "r"({SUMMAND}ul)
        : "rax", "rcx", "rdx", "memory");
    printf("%llu %llu %llu\\n", after.accesses - before.accesses, after.l1_misses - before.l1_misses,
           after.l2_misses - before.l2_misses);
    return 0;
}}
"""

# Associativities for which the tool has special code; general ones with short tags; and whole lines.
CACHES = [
    *("32768,8,64 262144,8,64", "32768,8,64 262144,16,64", "49152,12,64 655360,20,64"),
    *("32768,4,128 131072,4,128", "2048,32,32 24576,6,32"),
]


@dataclass
class Cache:
    """Sets of lines, most recently used first."""

    size: int
    ways: int
    line: int
    sets: dict[int, list[int]] = field(default_factory=dict)

    def misses(self, line: int) -> bool:
        """Access a line; return whether it was missed."""
        lines = self.sets.setdefault(line % (self.size // self.ways // self.line), [])
        missed = line not in lines
        if not missed:
            lines.remove(line)
        lines.insert(0, line)
        del lines[self.ways :]
        return missed


def addresses() -> Iterator[int]:
    """Yield the addresses that the program accesses, eight bytes at a time."""
    x = SEED
    for number in range(ROUNDS):
        x = (x * FACTOR + SUMMAND) % WORD
        yield x >> 33 & RANDOM - 1
        yield RANDOM + 64 + 8 * number


@pytest.mark.parametrize("avx2", ["yes", "no"])
@pytest.mark.parametrize("caches", CACHES)
@pytest.mark.by_day(avx2=["yes"])
def test_misses_are_those_of_the_reference(lab: Lab, caches: str, avx2: str) -> None:
    l1, l2 = (Cache(*map(int, text.split(","))) for text in caches.split())
    expected = [0, 0, 0]
    for address in addresses():
        lines = range(address // l1.line, (address + 7) // l1.line + 1)
        missed = [line for line in lines if l1.misses(line)]
        beyond = [line for line in missed if l2.misses(line)]
        expected = [expected[0] + 1, expected[1] + bool(missed), expected[2] + bool(beyond)]
    file, program = lab.folder / "walk.c", lab.folder / "walk"
    file.write_text(PROGRAM)
    run(["gcc", "-O1", f"-I{REQUESTS}", str(file), "-o", str(program)], lab.folder).check_returncode()
    options = [f"--l{level}={text}" for level, text in enumerate(caches.split(), 1)]
    found = lab.totals("rtcount", "-q", f"--avx2={avx2}", *options, program)
    assert found.split() == [str(number) for number in expected]
