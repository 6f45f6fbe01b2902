"""A counting run warns if fused multiply-add, which the compiler reported to the wrapper, makes it slow."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.run import prepared_counting

from ...conftest import run

pytestmark = [
    pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed"),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the instructions are those of x86"),
]

SOURCES = {
    "gcc": "void add(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }\nint main(void) {}\n",
    "g++": "void add(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }\nint main() {}\n",
    "gfortran": "program p\nreal :: a(999)\ndo i = 1, 999\na(i) = 2 * a(i) + i\nend do\nprint *, a(1)\nend\n",
}
SUFFIXES = {"gcc": "c", "g++": "cc", "gfortran": "f90"}


def said(folder: Path, compiler: str, *options: str) -> list[str]:
    """Return the messages that precede the counting run of a program built with options."""
    source, program = folder / f"x.{SUFFIXES[compiler]}", folder / "x"
    source.write_text(SOURCES[compiler])
    run(["autoanalyzer", "compile", "--", compiler, "-O2", *options, str(source), "-o", str(program)], folder)
    lines: list[str] = []
    with prepared_counting([str(program)], folder / "out", CacheGeometry(), folder, lines.append):
        return [line for line in lines if "building" not in line]


@pytest.mark.parametrize("compiler", SOURCES)
def test_a_program_that_may_fuse_is_named_with_the_price_and_the_way_out(tmp_path: Path, compiler: str) -> None:
    (line,) = said(tmp_path, compiler, "-march=haswell")
    assert line.startswith(
        f"{tmp_path / 'x'} was built to use fused multiply-add; if the program uses these instructions often, "
    )
    assert "23 times as long as the program itself, but only about 9 times as long if you add -mno-fma" in line


@pytest.mark.parametrize("options", [["-march=haswell", "-mno-fma"], ["-mfma", "-ffp-contract=off"], ["-mno-fma"]])
def test_nothing_is_said_of_one_that_may_not(tmp_path: Path, options: list[str]) -> None:
    assert said(tmp_path, "gcc", *options) == []


def test_nothing_is_said_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "start"
    script.write_text("#!/bin/sh\n./app\n")
    script.chmod(0o755)
    lines: list[str] = []
    with prepared_counting([str(script)], tmp_path / "out", CacheGeometry(), tmp_path, lines.append):
        assert lines == []
