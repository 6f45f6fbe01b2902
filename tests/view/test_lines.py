import io
import os
import pty
import re
import struct
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from autoanalyzer.view.lines import broken, width_of

HEAVY = (
    " 2  HEAVY       octants.f90:69   octants::take  ‹ octants::sweep_octant octants.f90:33"
    "      60 % of the run, CRNM 0.88, very high; 100 % of it in MPI"
)


def test_what_goes_on_stands_below_the_text_of_a_finding():
    assert broken(HEAVY, 80) == [
        " 2  HEAVY       octants.f90:69   octants::take",
        "                ‹ octants::sweep_octant octants.f90:33",
        "                60 % of the run, CRNM 0.88, very high; 100 % of it in MPI",
    ]


def test_what_goes_on_stands_right_of_a_lines_own_indent():
    line = "    try: access arrays in memory order: interchange loops, pack data that is used together"
    assert broken(line, 60) == [
        "    try: access arrays in memory order: interchange loops,",
        "      pack data that is used together",
    ]
    said = "16 ranks on 2 processors: they take turns, and time in MPI includes waiting for a turn"
    assert broken(said, 80)[1] == "  a turn"


def test_what_goes_on_of_a_list_stands_below_its_values():
    line = "program     rays   mpirun --oversubscribe -n 8 ./rays -m model.bin"
    assert broken(line, 40)[1] == " " * len("program     ") + "--oversubscribe -n 8 ./rays"


def test_a_line_that_fits_stays_as_it_is():
    assert broken(HEAVY, len(HEAVY)) == [HEAVY]
    assert broken("", 10) == [""]
    assert broken("     ", 3) == [""]


def test_a_path_stays_whole_unless_it_is_longer_than_a_line():
    assert broken("data /home/some one/of/the/team/experiment.cube", 36) == [
        "data /home/some",
        "  one/of/the/team/experiment.cube",
    ]
    assert broken("data /a/path/of/36/characters.cube", 29) == ["data", "/a/path/of/36/characters.cube"]
    assert broken("data /a/path/of/36/characters.cube", 20) == ["data", "/a/path/of/36/charac", "ters.cube"]


def test_a_path_after_a_number_stays_whole_too():
    assert broken("read 3 /a/path/of/36/characters.cube", 30) == ["read 3", " /a/path/of/36/characters.cube"]


def test_wide_and_combining_characters_count_as_a_terminal_shows_them():
    assert broken("計算 計算 計算", 9) == ["計算 計算", "  計算"]
    assert broken("re\u0301gion re\u0301gion", 13) == ["re\u0301gion re\u0301gion"]
    assert broken("計算計算", 5) == ["計算", "計算"]


@pytest.mark.parametrize(
    "said", ["takes 53 ms now", "< 0.1 % of it", "costs 1.0e9 s of it", "S = 0.79; here", "is 11.1-53.3 ms"]
)
def test_a_number_stays_with_its_unit(said):
    for width in range(12, 40):
        for line in broken(f"what {said} and {said}", width):
            assert not re.search(r"(?:[0-9]|[<=])$", line), line


@given(
    st.text(alphabet="ab1 計\u0301<=%‹:", max_size=80).map(lambda text: text.strip(" \u0301")),
    st.sampled_from(["", "    ", " 1  ", " 1  HEAVY       ", "data "]),
    st.integers(4, 60),
)
def test_lines_fit_and_lose_nothing(text, start, width):
    lines = broken(start + text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join((start + text).split())
    if all(cell_len(word) <= width for word in (start + text).split()):
        assert " ".join(lines).split() == (start + text).split()


def opened_terminal(columns):
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, theirs


@pytest.mark.parametrize(
    ("columns", "asked", "width"), [(100, None, 100), (100, "60", 60), (100, "", 100), (0, None, 80)]
)
def test_the_width_is_that_of_the_terminal_or_of_columns(monkeypatch, columns, asked, width):
    monkeypatch.delenv("COLUMNS", raising=False)
    if asked is not None:
        monkeypatch.setenv("COLUMNS", asked)
    ours, theirs = opened_terminal(columns)
    with os.fdopen(theirs, "w") as stream:
        assert width_of(stream) == width
    os.close(ours)


def test_what_is_no_terminal_has_no_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert width_of(io.StringIO()) is None
