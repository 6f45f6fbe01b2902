"""The tool's totals equal those of callgrind, which simulates the same caches."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from .conftest import Lab

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")

CACHES = ("32768,8,64", "1048576,8,64")

PROGRAMS = {
    "product": """
double a[200][200], b[200][200], c[200][200];
int main(void) {
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            a[i][j] = i + j, b[i][j] = i - j;
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            for (int k = 0; k < 200; k++)
                c[i][j] += a[i][k] * b[k][j];
    return c[3][4] == 0;
}
""",
    "sort": """
#include <stdlib.h>
static int numbers[1 << 17];
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    unsigned x = 1;
    for (int i = 0; i < 1 << 17; i++)
        numbers[i] = (int)((x = x * 1103515245u + 12345u) >> 8);
    qsort(numbers, 1 << 17, sizeof *numbers, compare);
    return numbers[0] > numbers[1];
}
""",
    "tree": """
#include <stdlib.h>
struct node { unsigned key; struct node *below[2]; };
static struct node *insert(struct node *node, unsigned key) {
    if (!node) {
        node = calloc(1, sizeof *node);
        node->key = key;
    } else {
        struct node **below = &node->below[key > node->key];
        *below = insert(*below, key);
    }
    return node;
}
int main(void) {
    struct node *root = NULL;
    unsigned x = 1;
    for (int i = 0; i < 40000; i++)
        root = insert(root, (x = x * 1103515245u + 12345u) >> 4);
    return root->key == 0;
}
""",
}

STRINGS = r"""
#include <stdio.h>
#include <string.h>
static char text[1 << 16], copy[1 << 16];
int main(void) {
    for (int i = 0; i < 60; i++) {
        void *to = copy;
        const void *from = text;
        size_t bytes = sizeof text;
        sprintf(text, "%d %g", i, i / 7.0);
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    }
    return strlen(copy) == 0;
}
"""


def totals(lab: Lab, name: str, source: str, profiler: str) -> tuple[dict[str, int], list[int]]:
    """Return our counts of a program, and callgrind's: instructions, reads and writes, and their misses."""
    file, program = lab.folder / f"{name}.c", lab.folder / name
    file.write_text(source)
    lab.run(["gcc", "-O1", str(file), "-o", str(program)], os.environ)
    options = (f"--l1={CACHES[0]}", f"--l2={CACHES[1]}", "--total=yes", "--events=branches,branch_misses")
    ours = lab.totals("rtcount", *options, program)
    counted = {key: int(value) for key, value in re.findall(r"(\w+) (\d+)(?= |$)", ours, re.MULTILINE)}
    caches = ("--cache-sim=yes", f"--D1={CACHES[0]}", f"--LL={CACHES[1]}", "--I1=32768,8,64", "--branch-sim=yes")
    out = lab.folder / "profile"
    lab.totals(profiler, "--vex-guest-chase=no", *caches, f"--{profiler}-out-file={out}", program)
    summary = re.search(r"^(?:summary|totals): ([\d ]+)$", out.read_text(), re.MULTILINE)
    assert summary
    return counted, [int(number) for number in summary[1].split()]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.by_day(name=["sort"])
def test_totals_agree_with_callgrind(lab: Lab, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    never = (f"glibc.cpu.x86_rep_{each}_threshold={1 << 30}" for each in ("movsb", "stosb"))
    monkeypatch.setenv("GLIBC_TUNABLES", ":".join(never))  # callgrind counts each iteration of these instructions
    counted, theirs = totals(lab, name, PROGRAMS[name], "callgrind")
    instructions, reads, writes, _, l1_read, l1_write, _, l2_read, l2_write, branches, mispredicted, *_ = theirs
    assert counted["instructions"] == pytest.approx(instructions, rel=1e-4)
    assert counted["accesses"] == pytest.approx(reads + writes, rel=1e-4)
    assert counted["l1_misses"] == pytest.approx(l1_read + l1_write, rel=1e-4, abs=20)
    # Their last level also contains instructions.
    assert counted["l2_misses"] == pytest.approx(l2_read + l2_write, rel=1e-3, abs=20)
    assert counted["branches"] == pytest.approx(branches, rel=1e-3)
    # Their predictor has a shorter history.
    assert counted["branch_misses"] == pytest.approx(mispredicted, rel=0.3, abs=0.01 * branches)


def test_a_string_instruction_misses_as_with_cachegrind_which_counts_each_round(lab: Lab) -> None:
    counted, theirs = totals(lab, "strings", STRINGS, "cachegrind")
    instructions, _, _, reads, l1_read, _, writes, l1_write, *_ = theirs
    lines = 2 * (1 << 16) // 64
    assert counted["instructions"] == pytest.approx(instructions - 60 * (1 << 16), rel=1e-2)
    assert counted["accesses"] == pytest.approx(reads + writes - 60 * (2 * (1 << 16) - lines), rel=1e-2)
    assert counted["l1_misses"] == pytest.approx(l1_read + l1_write, rel=1e-4, abs=20)
