import os
import pty
import struct
import sys
from contextlib import suppress
from fcntl import ioctl
from termios import TIOCSWINSZ

import pytest
from rich.cells import cell_len

from autoanalyzer.view.table import print_table

TITLES = ("share", "wall", "visits", "region", "source")
ROWS = (("60 %", "1.08 s", "512", "  octants::take", "octants.f90:69"), ("< 0.1 %", "498 us", "1.0e9", "main", "a.c:1"))


@pytest.fixture
def shown(monkeypatch):
    """Print a table on a terminal with this number of columns; return its lines."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("COLUMNS", raising=False)

    def show(width, titles, rows, right, **options):
        ours, theirs = pty.openpty()
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        with os.fdopen(theirs, "w") as stream, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            print_table(titles, rows, right, **options)
        pieces = []
        with suppress(OSError):  # closing a terminal raises an error
            while piece := os.read(ours, 1 << 16):
                pieces.append(piece)
        os.close(ours)
        return [line.rstrip() for line in b"".join(pieces).decode().splitlines()]

    return show


def test_columns_are_left_out_before_a_number_is_cut_and_that_is_said(shown):
    assert shown(46, TITLES, ROWS, range(3), first_to_go=[4]) == [
        "  share    wall  visits  region",
        "   60 %  1.08 s     512    octants::take",
        "< 0.1 %  498 us   1.0e9  main",
        "not shown: source; widen the terminal to see",
        "  more, or append | cat to see all",
    ]
    assert shown(40, TITLES, ROWS, range(3), first_to_go=[2, 4])[:3] == [
        "  share    wall  region",
        "   60 %  1.08 s    octants::take",
        "< 0.1 %  498 us  main",
    ]


def test_without_an_order_numbers_go_from_the_last_and_text_stays(shown):
    lines = shown(40, TITLES, ROWS, range(3))
    assert lines[0].split() == ["share", "region", "source"]
    assert "not shown: wall, visits;" in " ".join(lines)


def test_a_name_loses_its_middle_and_keeps_its_indent(shown):
    lines = shown(30, ("wall", "region"), [("1.08 s", "  loop in neighbours::find_neighbours")], [0])
    assert lines[1] == "1.08 s    loop in ne…eighbours"
    lines = shown(16, ("n", "region"), [("1", " " * 20 + "deep_inside")], [0])
    assert lines[1] == "1        dee…ide"


def test_wide_characters_count_twice(shown):
    lines = shown(12, ("n", "region"), [("1", "計算計算計算計算")], [0])
    assert all(cell_len(line) <= 12 for line in lines)
    assert lines[1] == "1  計算…計算"


def test_prose_goes_on_below(shown):
    lines = shown(24, ("n", "who", "what"), [("12", "x", "38 % below 119 kB; nothing else")], [0], prose=[1, 2])
    assert lines[1:] == ["12  x    38 % below", "           119 kB;", "           nothing else"]


def test_a_table_that_fits_says_nothing(shown):
    assert len(shown(60, TITLES, ROWS, range(3))) == 3


def test_where_all_are_numbers_one_stays(shown):
    assert shown(4, ("a", "b"), [("12 ms", "13 ms")], [0, 1])[1] == "12 ms"


def test_in_a_pipe_a_table_is_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    print_table(TITLES, ROWS, range(3))
    plain = capsys.readouterr().out
    assert "< 0.1 %  498 us   1.0e9  main             a.c:1" in plain
