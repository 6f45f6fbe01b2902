"""Output on terminals of several widths."""

import re
from pathlib import Path
from shutil import copy

import pytest
from rich.cells import cell_len

from .conftest import succeed

DATA = Path(__file__).parents[1] / "data"
WIDTHS = (60, 80, 120, 200)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def rays(tool):
    """Copy two recorded experiments of the same program."""
    for name in ("rays.cube.gz", "rays_dynamic.cube.gz"):
        copy(DATA / name, tool.folder)
    return tool


def words_of(text):
    return COLOUR.sub("", text).split()


ANALYZE = ("analyze", "--no-advice")  # if reading sources takes long, a terminal shows a message
PROSE = (ANALYZE, (*ANALYZE, "--all"), (*ANALYZE, "--explain"), ("info",))


@pytest.mark.parametrize("words", PROSE, ids=" ".join)
def test_lines_fit_the_terminal_and_say_the_same_as_in_a_pipe(rays, terminal, words):
    piped = succeed(rays("autoanalyzer", *words, "rays.cube.gz")).stdout.decode()
    for width in WIDTHS:
        shown = terminal(width, "autoanalyzer", *words, "rays.cube.gz")
        assert max(cell_len(COLOUR.sub("", line)) for line in shown.splitlines()) <= width
        assert words_of(shown) == words_of(piped)
        assert not re.search(r"[0-9]\n *(?:%|[mun]?s|[kMGT]?B)\b", COLOUR.sub("", shown))


TABLES = (
    (*ANALYZE, "--tree", "--hot", "--losses", "--account"),
    (*ANALYZE, "--tree", "--min", "0.5%"),
    ("dump",),
    ("dump", "--by", "process"),
    ("pursue",),
    ("stats", "kmeans"),
    ("stats", "factors"),
)


# By day, only the narrowest and the widest are tested.
@pytest.mark.parametrize("widths", [WIDTHS[::3], pytest.param(WIDTHS[1:3], marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("words", TABLES, ids=" ".join)
def test_tables_fit_the_terminal_with_whole_numbers(rays, terminal, words, widths):
    command, *options = words
    piped = succeed(rays("autoanalyzer", command, "rays.cube.gz", *options)).stdout.decode()
    numbers = r"(?<![\w.@:…])[0-9][0-9.e+]*(?: (?:%|[mun]?s|[kMGT]?B)\b)?"
    known = {*re.findall(numbers, " ".join(piped.split()))} | {"…"}
    for width in widths:
        shown = COLOUR.sub("", terminal(width, "autoanalyzer", command, "rays.cube.gz", *options))
        assert max(map(cell_len, shown.splitlines())) <= width
        assert {*re.findall(numbers, shown)} <= known


def test_differences_fit_the_terminal(rays, terminal):
    shown = COLOUR.sub("", terminal(60, "autoanalyzer", "diff", "rays.cube.gz", "rays_dynamic.cube.gz"))
    assert max(map(cell_len, shown.splitlines())) <= 60
    assert "not shown: source" in shown


def test_lines_are_whole_in_a_pipe_whatever_the_width_and_colours(rays):
    plain = succeed(rays("autoanalyzer", "analyze", "rays.cube.gz")).stdout
    assert max(map(len, plain.decode().splitlines())) > 80
    narrow = succeed(rays("autoanalyzer", "analyze", "rays.cube.gz", env={"COLUMNS": "40"})).stdout
    assert narrow == plain
    coloured = rays("autoanalyzer", "analyze", "rays.cube.gz", env={"FORCE_COLOR": "1", "TERM": "xterm"}).stdout
    assert COLOUR.sub("", coloured.decode()) == plain.decode() != coloured.decode()
    tree = succeed(rays("autoanalyzer", "analyze", "rays.cube.gz", "--tree")).stdout.decode()
    environment = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "40"}
    coloured = rays("autoanalyzer", "analyze", "rays.cube.gz", "--tree", env=environment).stdout
    assert COLOUR.sub("", coloured.decode()) == tree


def test_columns_and_colours_are_as_the_environment_says(rays, terminal):
    asked = terminal(200, "autoanalyzer", *ANALYZE, "rays.cube.gz", COLUMNS="60")
    assert max(cell_len(COLOUR.sub("", line)) for line in asked.splitlines()) <= 60
    assert COLOUR.search(asked)
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = terminal(60, "autoanalyzer", *ANALYZE, "rays.cube.gz", **environment)
        assert plain == COLOUR.sub("", asked)
