"""Source files are found where they are, read whatever they contain, and problems with them are reported."""

import os
from pathlib import Path

from autoanalyzer.view.source_file import find_source, places_to_look


def test_a_file_is_found_by_its_name_below_a_folder(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int a;\nint b;\n")
    found = find_source("src/a.c", [tmp_path])
    assert found.path == tmp_path / "src" / "a.c"
    assert found.lines == ("int a;", "int b;")
    assert not found.warning


def test_the_outer_folders_of_a_name_may_be_those_of_another_machine(tmp_path):
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "a.f90").write_text("end\n")
    assert find_source("/home/somebody/code/solver/a.f90", [tmp_path]).lines == ("end",)
    assert find_source("../solver/a.f90", [tmp_path]).lines == ("end",)


def test_an_absolute_name_comes_first(tmp_path):
    (tmp_path / "a.c").write_text("here\n")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.c").write_text("there\n")
    assert find_source(str(tmp_path / "a.c"), [other]).lines == ("here",)


def test_a_file_that_is_not_there_is_said_with_where_it_was_looked_for(tmp_path):
    found = find_source("gone.c", [tmp_path])
    assert found.path is None
    assert found.warning == f"gone.c was not found below {tmp_path}"


def test_a_file_newer_than_the_run_is_said(tmp_path):
    source = tmp_path / "a.c"
    source.write_text("int a;\n")
    os.utime(source, (1000, 1000))
    assert not find_source("a.c", [tmp_path], measured=1001).warning
    assert find_source("a.c", [tmp_path], measured=999).warning == "a.c was changed after the run: lines may have moved"


def test_bytes_that_are_no_utf_8_are_latin_1_and_nothing_moves_the_terminal(tmp_path):
    (tmp_path / "a.f").write_bytes(b"C gr\xfc\xdfe\x1b[31m\r\n\tX = 1\n")
    assert find_source("a.f", [tmp_path]).lines == ("C grüße�[31m", "\tX = 1")


def test_a_file_that_is_too_large_is_said(tmp_path):
    (tmp_path / "big.c").write_bytes(b"x\n" * (3 << 20))
    found = find_source("big.c", [tmp_path])
    assert not found.lines
    assert found.warning == "big.c is 6 MiB: too large to show"


def test_it_is_looked_for_beside_the_experiment_and_above(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "a.c").write_text("int a;\n")
    places = places_to_look(out / "experiment.cube")
    assert places[0] == Path("/")
    assert find_source("a.c", places).path == tmp_path / "a.c"


def test_names_that_no_file_has_are_not_found(tmp_path):
    assert find_source("a\0.c", [tmp_path]).path is None
    assert find_source("x" * 5000, [tmp_path]).path is None


def test_what_is_no_source_is_never_read(tmp_path):
    (tmp_path / "passwords.txt").write_text("secret\n")
    found = find_source(str(tmp_path / "passwords.txt"), [tmp_path])
    assert not found.lines
    assert "does not look like a source file" in found.warning
