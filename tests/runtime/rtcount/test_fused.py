"""Fused multiply-add has the same results under the tool as without it, to the last bit."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from .conftest import Lab, counts
from .test_counts import by_line, near

pytestmark = pytest.mark.skipif(
    not shutil.which("valgrind") or " fma " not in Path("/proc/cpuinfo").read_text(),
    reason="valgrind, or a processor with fused multiply-add, is not here",
)

KINDS = [f"vf{sign}{order}" for sign in ("madd", "msub", "nmadd", "nmsub") for order in ("132", "213", "231")]


# Result size in bytes. Of the register's other bytes, Valgrind 3.19 clears some that should be kept.
SIZES = {"sd": 8, "ss": 4, "pd": 32, "ps": 32}


def test_fused_multiply_add_rounds_once(lab: Lab) -> None:
    rounds = ""
    for size, shown in SIZES.items():
        register = "xmm" if shown < 32 else "ymm"
        for code in (f"{kind}{size} {operand}" for kind in KINDS for operand in ("%3", f"%%{register}2")):
            computed = f"{code}, %%{register}2, %%{register}1"
            loaded = "vmovups %1, %%ymm1; vmovups %2, %%ymm2"
            rounds += f'show({size[1]}, "{loaded}; {computed}; vmovups %%ymm1, %0", {shown});\n'
    source = f"""
#include <stdio.h>
#define show(of, code, bytes) do {{ \\
    __asm__ volatile(code : "=m"(shown) : "m"(of[i][0]), "m"(of[i][1]), "m"(of[i][2]) : "xmm1", "xmm2"); \\
    for (int byte = 0; byte < bytes; byte++) printf("%02x", shown[byte]); \\
    putchar('\\n'); }} while (0)
/* What cancels but for the rounding, what has no exponent left, and what is close to the largest. */
static const double d[2][3][4] = {{{{{{1.1, -2.3, 0x1p-1060, 1e300}}, {{0.7, 1.0 / 3, 0x1p-20, 1e5}},
                                  {{-0.77, 2.3 / 3, 0x1p-1074, -1e304}}}},
                                 {{{{0x1.fffffffffffffp0, -0.0, 3e-310, 0x1p-530}},
                                  {{0x1.fffffffffffffp0, 5.0, 7.0, -0x1p-530}},
                                  {{-0x1.ffffffffffffep1, -3.0, -2.0e-309, 0x1p-1074}}}}}};
static const float s[2][3][8] = {{{{{{1.1f, -2.3f, 0x1p-140f, 1e37f, 3.3f, 1e-40f, 7.0f, 9.1f}},
                                 {{0.7f, 1.0f / 3, 0x1p-5f, 3.0f, 0.1f, 0.3f, 1e-45f, 2e9f}},
                                 {{-0.77f, 2.3f / 3, 0x1p-149f, -2e37f, 1e9f, 1e-41f, 3e-44f, -1.0f}}}},
                                {{{{0x1.fffffep0f, 2.0f, 3.0f, 5.0f, 0x1p-70f, 1.1f, 1.3f, 1.7f}},
                                 {{0x1.fffffep0f, 0.1f, 0.3f, 0.7f, 0x1p-70f, 1.1f, 1.3f, 1.7f}},
                                 {{-0x1.fffffcp1f, -0.21f, 0.9f, 3.5f, 0x1p-149f, -1.2f, -1.6f, 2.8f}}}}}};
int main(void) {{
    unsigned char shown[32];
    for (int i = 0; i < 2; i++) {{
{rounds}
    }}
    return 0;
}}
"""
    file, program = lab.folder / "fused.c", lab.folder / "fused"
    file.write_text(source)
    lab.run(["gcc", "-O1", "-mavx2", "-w", str(file), "-o", str(program)], os.environ)
    expected = lab.run([str(program)], os.environ)
    assert len(expected.splitlines()) == 2 * len(KINDS) * len(SIZES) * 2
    assert lab.totals("rtcount", "-q", program) == expected


OPERANDS = """
static double data[16] __attribute__((aligned(64)));
#define fuse(text, size, place) \\
    __asm__ volatile(text " %0, %%" size "1, %%" size "2" : : "m"(place) : "xmm1", "xmm2")
static void numbers(void) {
    for (long i = 0; i < 1000; i++)
        fuse("vfmadd231pd", "ymm", data[4 * (i & 3)]);
}
static void halves(void) {
    for (long i = 0; i < 1000; i++)
        fuse("vfmadd231ps", "ymm", data[4 * (i & 1)]);
}
static void one(void) {
    for (long i = 0; i < 1000; i++)
        fuse("vfmadd231sd", "xmm", data[i & 15]);
}
static void two_lines(void) {
    for (long i = 0; i < 1000; i++)
        fuse("vfmadd231pd", "ymm", data[6]);
}
int main(void) {
    numbers(), halves(), one(), two_lines();
    return 0;
}
"""


def test_an_operand_in_memory_is_accessed_once(lab: Lab) -> None:
    (shard,) = lab.count(lab.build(OPERANDS, "-fno-inline", "-mavx2"))
    found = counts(shard)
    for name in ("numbers", "halves", "one", "two_lines"):
        loop = found[by_line(OPERANDS, f"void {name}")]
        assert loop["l1_accesses"] == near(1000), name
        assert loop["l1_misses"] <= 2, name
