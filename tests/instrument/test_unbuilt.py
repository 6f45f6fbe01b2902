"""Sources for which no build is known are read as far as possible."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoanalyzer.instrument.unbuilt import regions_of_unbuilt

C = """
#include "parts/sizes.h"
#include "not_here.h"
#ifndef SIZE
#error "SIZE is not defined"
#endif
#ifdef USE_WORK
double work(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            s += a[i] / a[j];
    }
    return s;
}
#endif
"""
FORTRAN = """
subroutine work(a, n, s)
  integer :: n, i
  double precision :: a(n), s
  do i = 1, n
    s = s + a(i)*sqrt(a(i))
    call other(a, s)
  end do
end subroutine
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for variable, command in (("CC", "gcc"), ("CXX", "g++"), ("FC", "gfortran")):
        monkeypatch.setenv(f"AUTOANALYZER_{variable}", command)
    (tmp_path / "include" / "parts").mkdir(parents=True)
    (tmp_path / "include" / "parts" / "sizes.h").write_text("#define OTHER 3\n")
    (tmp_path / "include" / "here.h").write_text("")
    (tmp_path / "a.c").write_text(C)
    (tmp_path / "b.f90").write_text(FORTRAN)
    return tmp_path


def names(*files: str) -> list[str]:
    return [f"{each.file}: {each.name}" for each in regions_of_unbuilt(files, openmp=False)]


def test_macros_are_those_of_makefiles_and_missing_headers_are_empty(project: Path) -> None:
    assert names("a.c") == []
    (project / "Makefile").write_text("CFLAGS = -O2 -DUSE_WORK  # or -DOTHER_WORK\n")
    assert names("a.c") == ["a.c: work", "a.c: loop@10"]


def test_headers_of_the_system_and_of_compilers_elsewhere_do_not_hide_makefiles(project: Path) -> None:
    (project / "src").mkdir()
    (project / "Makefile").write_text("CFLAGS = -DUSE_WORK\n")
    (project / "src" / "d.c").write_text(C)
    assert names("/usr/include/stdio.h", "src/d.c", "/opt/compiler/include/vector") == [
        "src/d.c: work",
        "src/d.c: loop@10",
    ]


def test_folders_of_the_system_are_not_searched(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    walk = os.walk

    def noted(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
        walked.append(str(top))
        return walk(top)

    monkeypatch.setattr(os, "walk", noted)
    assert names("/etc/hostname", "/usr/include/stdio.h", "b.f90") == ["b.f90: work", "b.f90: loop@5"]
    assert walked and all(len(Path(each).parts) > 2 for each in walked)


def test_makefiles_that_cannot_be_read_are_skipped(project: Path) -> None:
    (project / "Makefile").symlink_to("/proc/self/mem")  # not even root can read its beginning
    (project / "more.mk").write_text("CFLAGS = -DUSE_WORK\n")
    assert names("a.c") == ["a.c: work", "a.c: loop@10"]


def test_what_cannot_be_read_has_no_regions(project: Path) -> None:
    (project / "c.c").write_text("int f( {{{\n")
    (project / "notes.txt").write_text("no source")
    assert names("c.c", "gone.c", "notes.txt", "b.f90") == ["b.f90: work", "b.f90: loop@5"]
