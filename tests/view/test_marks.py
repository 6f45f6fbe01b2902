"""Marks: positions and colours of values; names are shown as text."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from autoanalyzer.view.marks import (
    Axis,
    Bar,
    Bars,
    Chart,
    Column,
    Columns,
    Curve,
    Curves,
    Grid,
    Matrix,
    Part,
    Series,
    short,
)
from autoanalyzer.view.page import Page, page_html
from autoanalyzer.view.picture import Picture, picture_html

from ..conftest import patient_page

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=alert(1)>",
    "<b>bold</b> & <a href='https://example.org'>link</a>",
    """it's "quoted" `so`""",
    "שלום \u202eevil",
    "x" * 10_000,
]


def _parsed(mark) -> etree._Element:
    return etree.fromstring(f"<div>{mark.html()}</div>")


def _written(element) -> str:
    return "".join(element.itertext())


def test_points_stand_where_their_values_are():
    chart = Chart([Series("s", [0.0, 10.0], [0.0, 4.0], ["low", "high"])], Axis("x"), Axis("y"), width=400, height=300)
    low, high = _parsed(chart).findall(".//div//svg/circle")
    assert float(low.get("cx")) < float(high.get("cx"))
    assert float(low.get("cy")) > float(high.get("cy"))
    assert [_written(each) for each in (low, high)] == ["low", "high"]
    numbers = [[_written(cell) for cell in row] for row in _parsed(chart).findall(".//tbody/tr")]
    assert numbers == [["s", "low", "0", "0"], ["s", "high", "10", "4"]]


def test_ticks_are_round_numbers_at_their_places():
    chart = Chart([Series("", [0.0, 100.0], [1.0, 1.0])], width=400, height=200)
    ticks = {_written(each): float(each.get("x")) for each in _parsed(chart).findall(".//text[@text-anchor='middle']")}
    assert {"0", "20", "40", "60", "80", "100"} <= ticks.keys()
    assert ticks["40"] - ticks["20"] == pytest.approx(ticks["80"] - ticks["60"], abs=0.2)


def test_an_axis_of_ranks_has_whole_numbers_alone():
    chart = Chart([Series("", [0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0])], Axis("rank", whole=True))
    ticks = [_written(each) for each in _parsed(chart).findall(".//text[@text-anchor='middle']")]
    assert {*ticks} - {"rank"} == {"0", "1", "2", "3"}


def test_a_logarithmic_axis_has_powers_of_ten_at_equal_distances():
    chart = Chart([Series("", [0.0, 1.0], [1.0, 1000.0])], y=Axis("index", log=True), height=300)
    ticks = {_written(each): float(each.get("y")) for each in _parsed(chart).findall(".//text[@text-anchor='end']")}
    assert ticks["1"] - ticks["10"] == pytest.approx(ticks["100"] - ticks["1000"], abs=0.2)


def test_0_and_less_have_no_place_on_a_logarithmic_axis():
    chart = Chart([Series("", [0.0, 1.0, 2.0], [0.0, -1.0, 10.0])], y=Axis(log=True))
    assert len(_parsed(chart).findall(".//svg/circle")) == 1


def test_a_line_is_broken_where_a_value_is_missing():
    chart = Chart([Series("", [0.0, 1.0, np.nan, 2.0, 3.0], [1.0] * 5, style="line")])
    assert _parsed(chart).find(".//path").get("d").count("M") == 2


@pytest.mark.parametrize("values", [[], [np.nan], [5.0], [0.0, 0.0], [-1e300, 1e300], [1e-300, 2e-300]])
def test_any_values_can_be_drawn(values):
    for axis in (Axis(), Axis(log=True), Axis(zero=True)):
        drawn = _parsed(Chart([Series("s", [0.0] * len(values), values, style="both")], y=axis))
        assert "nan" not in etree.tostring(drawn.find(".//svg[@class='chart']")).decode()


def test_columns_are_stacked_from_0_and_what_is_made_up_for_has_an_outline():
    columns = [
        Column("1", [1.2, -0.2], ["120 %", "-20 %"], ["6", "-1"]),
        Column("2", [0.5, 0.0], ["50 %", "0 %"], ["3", "0"]),
    ]
    drawn = Columns([Part("useful", "useful"), Part("lost", "c0")], columns, "share", "ranks", "seconds", "made up for")
    high, gain, low = (
        (float(each.get("y")), float(each.get("height")))
        for each in _parsed(drawn).find(".//svg[@class='chart']").iter("rect")
    )
    whole = low[1] / 0.5
    assert high[1] == pytest.approx(1.2 * whole, abs=0.2)
    assert sum(high) == pytest.approx(sum(low), abs=0.2)  # both bars begin on the axis
    assert gain == (high[0], pytest.approx(0.2 * whole, abs=0.2))
    numbers = [[_written(cell) for cell in row] for row in _parsed(drawn).findall(".//tbody/tr")]
    assert numbers[1] == ["1", "lost", "-1", "-20 %"]


def test_curves_of_1_over_p_are_straight_and_parallel_to_perfect_scaling():
    pair = [Curve("ideal", [8, 4, 1], "ideal"), Curve("s", [4, 2, 0.5], "c0", "1")]
    curves = _parsed(Curves([1, 2, 8], pair, "time", "ranks", str))
    lines = [*curves.find(".//svg[@class='chart']").iterfind("line")][-4:]
    places = [[float(each.get(name).removesuffix("%")) for name in ("x1", "y1", "x2", "y2")] for each in lines]
    slopes = [(y2 - y1) / (x2 - x1) for x1, y1, x2, y2 in places]
    assert slopes == pytest.approx([slopes[0]] * 4, rel=0.02)
    assert [_written(each) for each in curves.iter("li")] == [" ideal", " 1 s"]


def test_numbers_at_the_ends_of_curves_do_not_overlap_and_0_is_not_drawn():
    curves = Curves([1, 2], [Curve("a", [0, 3], "c0", "a"), Curve("b", [3, 3], "c1", "b")], "time", "ranks", str)
    drawn = _parsed(curves).find(".//svg[@class='chart']")
    assert len(drawn.findall("circle")) == 3
    first, second = (float(each.get("y")) for each in drawn.iterfind("text[@dx='8']"))
    assert abs(first - second) >= 11


def test_numbers_at_the_ends_of_curves_stay_above_the_axis():
    pairs = [Curve(str(number), [9.0, 1.0], "c0", str(number)) for number in range(1, 7)]
    drawn = _parsed(Curves([1, 2], pairs, "time", "ranks", str)).find(".//svg[@class='chart']")
    lowest = max(float(each.get("y1")) for each in drawn.iterfind("line[@class='rule']"))
    places = [float(each.get("y")) for each in drawn.iterfind("text[@dx='8']")]
    assert max(places) <= lowest + 4
    assert all(below - above >= 11 for above, below in pairwise(places))


@pytest.mark.parametrize("at", [[2**power for power in range(20, 28)], [*range(1, 65)], [1, 2, 4]])
def test_numbers_of_ranks_below_a_picture_do_not_overlap_on_a_phone_and_the_last_one_is_there(chromium, tmp_path, at):
    curves = Curves(at, [Curve("s", [1.0] * len(at), "c0")], "time", "ranks", str)
    file = tmp_path / "page.html"
    file.write_bytes(page_html(Page("page", "page", [], counters=picture_html(Picture("curves", [curves])))))
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    texts = page.eval_on_selector_all(
        ".chart text[text-anchor=middle]",
        """all => all.map((each) => [each.getBoundingClientRect(), each.textContent])
                     .map(([box, text]) => [box.x, box.right, text])""",
    )
    page.close()
    labels = sorted(each for each in texts if each[2] != "ranks")
    assert labels[-1][2] == str(at[-1])
    assert len(labels) > 2
    assert all(right < left for (_, right, _), (left, _, _) in pairwise(labels))


@pytest.mark.parametrize("values", [[0.0, 0.0], [5.0, 5.0], [1e-300, 1e300], [0.0, 1e-12]])
def test_any_values_of_curves_can_be_drawn(values):
    drawn = _parsed(Curves([1, 3], [Curve("s", values, "c0", "1")], "time", "ranks", str))
    assert "nan" not in etree.tostring(drawn.find(".//svg[@class='chart']")).decode()


def test_names_along_y_go_from_top_to_bottom():
    chart = Chart([Series("", [0.0, 0.0], [0, 1])], y=Axis("metric", ["first", "second"]))
    first, second = _parsed(chart).findall(".//svg/circle")
    assert float(first.get("cy")) < float(second.get("cy"))


def test_cells_of_a_matrix_have_the_colour_of_their_sign_and_size():
    matrix = Matrix(["a", "b"], ["c", "d"], np.array([[1.0, -1.0], [0.1, np.nan]]), 1.0)
    cells = [(each.get("class"), each.text) for each in _parsed(matrix).findall(".//tbody//td")]
    assert cells == [("s5", "1.00"), ("s-5", "-1.00"), ("s0", "0.10"), ("none", "–")]
    sizes = Matrix(["a"], ["c", "d"], np.array([[0.0, 3.0]]), signed=False, said=[["nothing", "all"]])
    assert [(e.get("class"), e.text) for e in _parsed(sizes).findall(".//tbody//td")] == [
        ("r0", "nothing"),
        ("r9", "all"),
    ]


def test_bars_are_as_long_as_their_values_and_an_infinite_one_is_the_longest():
    bars = Bars([Bar("a", [float("inf")], ["∞"]), Bar("b", [2.0], ["2"]), Bar("c", [-1.0], ["-1"])], "weight")
    widths = [float(each.get("width")) for each in _parsed(bars).iter("rect")]
    assert widths == [240, 240, 120]
    assert [each.get("class") for each in _parsed(bars).iter("rect")] == ["c0", "c0", "c0 less"]
    assert [_written(each) for each in _parsed(bars).findall(".//td[@class='number']")] == ["∞", "2", "-1"]


def test_a_grid_tells_clusters_by_letters_beside_colours():
    grid = Grid(np.array([[0.0, 1.0], [np.nan, 1.0]]), [["0", "1"], ["", "3"]], ["1: rank 0", "2: ranks 1, 3"])
    cells = [(each.get("class"), _written(each)) for each in _parsed(grid).findall(".//tbody//td")]
    assert cells == [("c0", "A 0"), ("c1", "B 1"), (None, ""), ("c1", "B 3")]
    assert [_written(each) for each in _parsed(grid).findall(".//li")] == ["A 1: rank 0", "B 2: ranks 1, 3"]


def test_3000_points_take_little_room_and_the_table_says_what_it_leaves_out():
    chart = Chart([Series("s", [*map(float, range(3000))], [1.0] * 3000, [f"rank {each}" for each in range(3000)])])
    assert len(chart.html()) < 500_000
    assert "and 2800 more: --csv contains all" in chart.html()


def test_a_long_name_loses_its_middle():
    assert short("a" * 100 + "b" * 100) == "a" * 12 + "…" + "b" * 11


def _everywhere(name: str) -> Picture:
    values = np.ones((1, 1))
    marks = [
        Chart([Series(name, [0.0], [1.0], [name], [name])], Axis(name), Axis(name)),
        Chart([Series(name, [0], [0], [name])], Axis(names=[name]), Axis(names=[name])),
        Matrix([name], [name], values, said=[[name]]),
        Bars([Bar(name, [1.0], [name])], name),
        Grid(np.zeros((1, 1)), [[name]], [name], name),
        Curves([1, 2], [Curve(name, [1.0, 2.0], "c0", name)], name, name, str),
        Columns([Part(name, "c0")], [Column(name, [1.0], [name], [name])], name, name, name, name),
    ]
    return Picture(name, marks, [name])


def test_hostile_names_are_shown_as_text(browse, tmp_path: Path):
    file = tmp_path / "page.html"
    body = "".join(map(picture_html, map(_everywhere, HOSTILE)))
    file.write_bytes(page_html(Page(" | ".join(HOSTILE), HOSTILE[0], HOSTILE, counters=body)))
    seen = browse(file)
    assert (seen.complaints, seen.requests, seen.pictures) == ([], [], len(HOSTILE))
    for name in HOSTILE:
        text = name.replace("\u202e", "\ufffd")
        assert text in seen.text
        assert text in seen.drawn
    assert "\u202e" not in "".join(seen.drawn) + seen.text


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_is_no_wider_than_the_screen_and_names_of_bars_stay_whole(chromium, tmp_path: Path, width):
    names = [f"a_metric_{each}" for each in range(12)]
    marks = [
        Chart([Series("s", [0.0, 1.0], [0.0, 1.0])]),
        Matrix(names, names, np.ones((12, 12))),
        Bars([Bar(name, [1.0], ["0.000774"]) for name in names], "importance"),
        Grid(np.zeros((2, 32)), [["100"] * 32] * 2, ["all"]),
    ]
    file = tmp_path / "page.html"
    file.write_bytes(page_html(Page("marks", "marks", [], counters=picture_html(Picture("all", marks)))))
    page = patient_page(chromium, viewport={"width": width, "height": 800})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator(".mark .copies").count() == len(marks)  # copy buttons for each mark's picture and table
    heights = page.eval_on_selector_all(".bars tbody th", "all => all.map(each => each.getBoundingClientRect().height)")
    page.close()
    assert max(heights) < 30
