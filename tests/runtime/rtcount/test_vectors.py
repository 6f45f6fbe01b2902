"""Vector registers have the same contents under the tool as without it."""

from __future__ import annotations

import os
import platform
import shutil

import pytest

from .conftest import Lab

pytestmark = pytest.mark.skipif(
    not shutil.which("valgrind") or platform.machine() != "x86_64", reason="valgrind on x86-64 is not here"
)

# Each instruction writes part or all of xmm1, from memory, from an integer, or from xmm2.
WRITES = (
    *("movsd %1, %%xmm1", "movss %1, %%xmm1", "movlpd %1, %%xmm1", "movhpd %1, %%xmm1", "movq %1, %%xmm1"),
    *("movd %2, %%xmm1", "cvtsi2sd %2, %%xmm1", "cvtsi2ss %2, %%xmm1", "pinsrw $5, %2, %%xmm1", "pxor %%xmm1, %%xmm1"),
    *("movsd %%xmm2, %%xmm1", "movss %%xmm2, %%xmm1", "movhlps %%xmm2, %%xmm1", "movlhps %%xmm2, %%xmm1"),
    *("sqrtsd %%xmm2, %%xmm1", "addsd %%xmm2, %%xmm1", "cvtsd2ss %%xmm2, %%xmm1", "movapd %%xmm2, %%xmm1"),
)


def test_registers_written_in_part_hold_the_same_as_without_the_tool(lab: Lab) -> None:
    pairs = "".join(
        f'show("movupd %1, %%xmm1; movupd %3, %%xmm2; {first}; {second}; movupd %%xmm1, %0");\n'
        for first in WRITES
        for second in WRITES
    )
    source = f"""
#include <stdio.h>
static const double memory[2] = {{1.5, -2.25}}, other[2] = {{1e10, 3.0}};
#define show(code) do {{ unsigned long shown[2]; \\
    __asm__ volatile(code : "=m"(shown) : "m"(memory), "r"(77), "m"(other) : "xmm1", "xmm2"); \\
    printf("%016lx %016lx\\n", shown[0], shown[1]); }} while (0)
int main(void) {{
{pairs}
    return 0;
}}
"""
    file, program = lab.folder / "vectors.c", lab.folder / "vectors"
    file.write_text(source)
    lab.run(["gcc", "-O1", "-w", str(file), "-o", str(program)], os.environ)
    expected = lab.run([str(program)], os.environ)
    assert len(expected.splitlines()) == len(WRITES) ** 2
    assert lab.totals("rtcount", "-q", program) == expected
