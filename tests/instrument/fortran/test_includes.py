"""INCLUDE lines: the included text is part of the source, with its own names and lines."""

import os

import pytest

from autoanalyzer.errors import SourceError
from autoanalyzer.instrument.fortran.form import Form
from autoanalyzer.instrument.fortran.includes import expand

pytestmark = pytest.mark.by_day(name=["free"])

BLOCK = "      common /shared/ n\n      integer n, table(3)\n"
WORK = "      do i = 1, 2\n        n = n + i\n      end do\n"
OUTER = "      integer k\n      include 'deep/block.inc' ! nested\n"

INCLUDES = """
      program main
      include 'outer.inc'
      table(2) = 1
      n = 0
      include "work.inc"
      do k = 1, 2
        INCLUDE 'work.inc'
        if (k == 2) return
      end do
      end
      subroutine other
      include 'deep/block.inc'
      include 'work.inc'
      include = 3
      end
"""


def test_included_lines_have_their_own_names(fortran, name):
    (fortran.lab.tool.folder / "deep").mkdir()
    for file, text in {"outer.inc": OUTER, "deep/block.inc": BLOCK, "work.inc": WORK}.items():
        fortran.write(text, file)
    trial = fortran.run(INCLUDES, "-I.", name=name)
    assert trial.visits == {"main": 1, "main:loop@1": 1, "main:loop@7": 1}
    files = {(each.region.name, each.region.file) for each in trial.found.regions if each.region.kind == "loop"}
    assert files == {("loop@1", "work.inc"), ("loop@7", name)}
    assert [each.region.ordinal for each in trial.found.regions if each.region.kind == "loop"] == [0, 1, 0]


WHOLE = """      subroutine first
      print *, 'first'
      end
"""
UNITS = """
      include 'whole.inc'
      program main
      call first
      call second
      contains
      include 'inner.inc'
      end program
"""


def test_whole_procedures_may_be_included(fortran, name):
    fortran.write(WHOLE, "whole.inc")
    fortran.write(WHOLE.replace("first", "second").rstrip(), "inner.inc")
    trial = fortran.run(UNITS, name=name)
    assert trial.visits == {"first": 1, "main": 1, "main::second": 1}
    assert {each.region.file for each in trial.found.regions} == {"whole.inc", name, "inner.inc"}


def test_folders_are_searched_in_their_order(fortran, name):
    for folder, text in {"a": "      print *, 'a'\n", "b": "      print *, 'b'\n      print *, 'c'\n"}.items():
        (fortran.lab.tool.folder / folder).mkdir()
        fortran.write(text, f"{folder}/x.inc")
    assert fortran.run("      include 'x.inc'\n      end\n", "-I", "b", "-Ia", name=name).visits == {"main": 1}
    assert b"'b'" in fortran.instrument(name, "-Ib", "-I", "a")[0]


def test_an_include_line_may_have_a_sequence_number(fortran):
    fortran.write(WORK.replace("2", "2000"), "work.inc")
    numbered = "".join(f"{line:72}00000010\n" for line in ("      n = 0", "      include 'work.inc'", "      end"))
    fortran.write(numbered, "x.f")
    _, found = fortran.instrument("x.f")
    assert [(each.region.name, each.region.file) for each in found.regions] == [("main", "x.f"), ("loop@1", "work.inc")]


MISSING = """
      include 'nowhere.inc'
      program main
      include 'mpif.h'
      print *, 1
      contains
      include 'nowhere.inc'
      end program
"""


def test_what_is_missing_is_left_to_the_compiler(fortran, name):
    fortran.write(MISSING, name)
    text, found = fortran.instrument(name)
    assert text.count(b"\n      include '") == 3
    assert [each.region.name for each in found.regions] == ["main"]


def test_a_file_that_includes_itself_ends(fortran, name):
    fortran.write("      include 'x.inc'\n", "x.inc")
    fortran.write("      include 'x.inc'\n      end\n", name)
    assert fortran.instrument(name)[1].regions


def test_what_never_ends_is_left_to_the_compiler(fortran, name):
    os.mkfifo(fortran.lab.tool.folder / "pipe.inc")
    fortran.write("      include '/dev/zero'\n      include 'pipe.inc'\n      include 'a\0b'\n      end\n", name)
    text, found = fortran.instrument(name)
    assert text.count(b"      include '") == 3
    assert found.regions


def test_files_that_bring_each_other_twice_are_refused(tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.inc").write_text(f"      include '{number + 1}.inc'\n" * 2)
    (tmp_path / "30.inc").write_text(f"!{'-' * (1 << 20)}\n")
    with pytest.raises(
        SourceError, match=r"x\.f:1:1: expected at most 64 MiB, counting all included files, found more"
    ):
        expand("      include '0.inc'\n      end\n", "x.f", [str(tmp_path)], form=Form(fixed=True))
