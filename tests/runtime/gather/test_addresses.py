"""Names of functions and libraries at addresses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.addresses import inlined_at, library_of

OUTLINED = """
void plain(void) __asm__("work.constprop.0");
void plain(void) {}
void outlined(void) __asm__(".omp_outlined._debug__");
void outlined(void) {}
void variadic(void) __asm__("_ZZ4mainENKUlT_DpT0_E_clIdJiEEEDaS_S1_");
void variadic(void) {}
"""
VARIADIC = "_ZZ4mainENKUlT_DpT0_E_clIdJiEEEDaS_S1_"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("/usr/lib/libm.so.6", "libm"),
        ("/home/me/libown.so", "libown"),
        ("libx-2.1.so.1.2", "libx-2.1"),
        ("/home/me/cg.solve", ""),
        ("/home/me/my.sor", ""),
        ("/home/me.so/app", ""),
    ],
)
def test_a_library_is_known_by_its_whole_ending(file: str, name: str) -> None:
    assert library_of(file) == name


def test_suffixes_of_compilers_are_left_out_and_a_name_remains(tmp_path: Path) -> None:
    source, program = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(OUTLINED)
    subprocess.run(["gcc", "-c", "-ffunction-sections", source, "-o", program], check=True)
    subprocess.run(["gcc", "-shared", "-nostdlib", program, "-o", tmp_path / "a.so"], check=True)
    symbols = subprocess.run(["nm", tmp_path / "a.so"], capture_output=True, text=True, check=True).stdout.splitlines()
    places = {words[2]: words[0] for words in map(str.split, symbols) if len(words) == 3}
    names = [".omp_outlined._debug__", "work.constprop.0", VARIADIC]
    found = inlined_at(str(tmp_path / "a.so"), [places[name] for name in names])
    lambda_call = "main::{lambda(auto:1, (auto:2)...)#1}::operator()<double, int>"
    assert [[place.function for place in each] for each in found] == [["omp_outlined"], ["work"], [lambda_call]]
