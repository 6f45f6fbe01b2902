"""The icicle: call paths as boxes, with widths by value and colours by imbalance or change; and copied tables."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from autoanalyzer.experiment import Builder, Experiment

from .test_filter import click_rank

BOXES = """all => all.map((each) => {
  const rect = each.querySelector('rect');
  return [each.querySelector('text').textContent.split(/\\s/)[0], rect.x.baseVal.value, rect.width.baseVal.value + 1,
    rect.y.baseVal.value, rect.getAttribute('fill')];
})"""
DARKEST = "rgb(0 34 78)"  # the colour without imbalance
BLUE, RED = "rgb(33 102 172)", "rgb(178 24 43)"
SVG = "{http://www.w3.org/2000/svg}"


def helper(factor: float = 1.0) -> Experiment:
    """Return three ranks that call a function from two places, with equal times from one of them only."""
    builder = Builder()
    main = builder.call_path("main")
    one, other = (builder.call_path(name, main) for name in ("setup", "=solve"))
    few, most = (builder.call_path("helper", caller) for caller in (one, other))
    builder.metric("wall_time", "sec")
    builder.metric("io_time", "sec")
    for rank in range(3):
        builder.location(rank)
    builder.row("wall_time", few, [1.0, 1.0, 1.0])
    builder.row("wall_time", most, [2.0 * factor, 3.0 * factor, 4.0 * factor])
    return builder.experiment()


def boxes(shown) -> list[tuple[str, float, float, int]]:
    """Return name, left edge and width of each box, as shares of the width, and its row, from top to bottom."""
    found = shown.page.eval_on_selector_all(".icicle g", BOXES)
    whole = max(wide for _, _, wide, _, _ in found)
    return sorted(
        ((name, left / whole, wide / whole, int(top) // 22) for name, left, wide, top, _ in found),
        key=lambda each: (each[3], each[1]),
    )


def colours(shown) -> dict[str, str]:
    return {name: colour for name, *_, colour in shown.page.eval_on_selector_all(".icicle g", BOXES)}


def brightness(colour: str) -> int:
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split()))


def close(*expected: tuple[str, float, float, int]):
    return [
        (name, pytest.approx(left, abs=0.01), pytest.approx(wide, abs=0.01), row) for name, left, wide, row in expected
    ]


WHOLE = (
    ("main", 0, 1, 0),
    ("=solve", 0, 0.75, 1),
    ("setup", 0.75, 0.25, 1),
    ("helper", 0, 0.75, 2),
    ("helper", 0.75, 0.25, 2),
)
OF_SOLVE = (("main", 0, 1, 0), ("=solve", 0, 1, 1), ("helper", 0, 1, 2))


def test_boxes_are_as_wide_as_their_values_and_show_one_in_full_width_by_mouse_and_keys(show):
    shown = show(helper(), "#t=icicle")
    page = shown.page
    assert boxes(shown) == close(*WHOLE)
    page.focus(".icicle")
    shown.press("ArrowDown", "ArrowDown")
    assert page.inner_text(".told") == (
        "=solve (a.c:1): 9 s, 75 % of wall_time; per rank: minimum 2 s, mean 3 s, maximum 4 s; imbalance 25 %"
    ).replace(" (a.c:1)", "")
    shown.press("Enter")
    assert boxes(shown) == close(*OF_SOLVE)
    assert shown.selected()["program"] == ["=solve"]
    shown.press("Backspace")
    assert boxes(shown) == close(*WHOLE)
    page.click(".icicle g:has-text('setup')")
    shown.settle()
    assert boxes(shown)[1:] == close(("setup", 0, 1, 1), ("helper", 0, 1, 2))
    page.click(".icicle g:has-text('main')")
    shown.settle()
    assert boxes(shown) == close(*WHOLE)
    page.fill("#panel input[type=search]", "SETUP")
    assert page.inner_text("#panel .map-tools [role=status]") == "1 region, with callees 25 % of wall_time"
    assert page.locator(".icicle .faint").count() == 4
    page.fill("#panel input[type=search]", "")
    assert page.inner_text("#panel .scale").startswith("imbalance of the ranks")
    seen = colours(shown)
    assert seen["setup"] == DARKEST
    assert (brightness(seen["setup"]), brightness(seen["main"])) < (
        brightness(seen["main"]),
        brightness(seen["=solve"]),
    )
    click_rank(shown, 2)
    assert boxes(shown)[1:3] == close(("=solve", 0, 0.8, 1), ("setup", 0.8, 0.2, 1))
    assert page.locator("#panel .scale").count() == 0  # a single rank has no imbalance
    assert len({*colours(shown).values()}) == 1
    assert shown.complaints == []


def test_a_metric_without_values_has_no_boxes_and_another_one_has(show):
    shown = show(helper(), "#m=io_time&t=icicle")
    assert shown.page.inner_text("#panel") == "There are no boxes: values of io_time are 0 or cannot be summed."
    shown.page.click("#tree-metrics .row:has-text('wall_time')")
    shown.settle()
    assert boxes(shown) == close(*WHOLE)


def test_inverted_boxes_have_callers_below_them(show):
    shown = show(helper(), "#t=icicle")
    shown.page.check("#panel input[type=checkbox]")
    shown.settle()
    expected = [("helper", 0, 1, 0), *WHOLE[1:3], ("main", 0, 0.75, 2), ("main", 0.75, 0.25, 2)]
    assert boxes(shown) == close(*expected)
    shown.page.focus(".icicle")
    shown.press("ArrowDown")
    assert "12 s, 100 % of wall_time; per rank: minimum 3 s, mean 4 s, maximum 5 s" in shown.page.inner_text(".told")
    shown.press("ArrowDown", "ArrowRight", "Enter")
    assert boxes(shown)[1:] == close(("setup", 0, 1, 1), ("main", 0, 1, 2))
    assert shown.selected()["program"] == ["setup"]
    assert shown.complaints == []


def test_boxes_are_coloured_by_the_change_since_another_experiment(show):
    shown = show(helper(0.5), "#t=icicle", of_page={"against": (helper(), "before")})
    page = shown.page
    assert page.input_value("#panel select") == "change"
    assert page.inner_text("#panel .scale").startswith("change since before")
    page.focus(".icicle")
    shown.press("ArrowDown", "ArrowDown")
    assert page.inner_text(".told").endswith("; change \u221250 %")
    assert re.sub(r"\s+", " ", page.inner_text("#panel .scale")) == "change since before more, slower less, faster"
    seen = colours(shown)
    assert (seen["=solve"], seen["setup"]) == (BLUE, "rgb(247 247 247)")
    page.select_option("#panel select", "imbalance")
    shown.settle()
    assert colours(shown)["setup"] == DARKEST
    shown.go("t=compare")
    rows = shown.copied_rows()
    assert rows[0][3:] == ["here", "largest value of a rank in before", "here"]
    assert rows[1:] == [["helper", "", "12", "7.5", "5", "3"]]
    shown.go("e=difference&t=icicle")
    assert page.locator(".icicle g").count() == 3
    assert page.inner_text("#panel .scale").startswith("sum of the changes in each box")
    assert re.search("losses\\s+gains", page.inner_text("#panel .scale"))
    assert colours(shown)["=solve"] == BLUE
    slower = show(helper(), "#t=icicle", of_page={"against": (helper(0.5), "before")})
    assert colours(slower)["=solve"] == RED
    assert shown.complaints == []


def test_tables_are_copied_as_csv_and_pictures_as_svg_and_png(show):
    shown = show(helper(), "#t=icicle")
    shown.page.click(".icicle g:has-text('setup')")
    shown.settle()
    assert shown.copied_rows() == [  # all call paths, not only the visible ones
        ["call path", "depth", "wall_time (sec)", "share of the program"],
        ["main", "0", "12", "1"],
        ["main \u203a =solve", "1", "9", "0.75"],
        ["main \u203a =solve \u203a helper", "2", "9", "0.75"],
        ["main \u203a setup", "1", "3", "0.25"],
        ["main \u203a setup \u203a helper", "2", "3", "0.25"],
    ]
    shown.page.click(".icicle g:has-text('main')")
    shown.settle()
    drawn = ET.fromstring(shown.copied("SVG"))
    assert [each.text.split()[0] for each in drawn.iter(f"{SVG}text") if each.text] == [
        "main", "=solve", "helper", "setup", "helper",
    ]  # fmt: skip
    assert all(each.get("fill").startswith("rgb") for each in drawn.iter(f"{SVG}rect"))
    seen = colours(shown)
    assert shown.copied_picture((0.5, 0.26), (0.5, 0.59), (0.9, 0.59))[1] == [
        seen[name] for name in ("main", "=solve", "setup")
    ]
    shown.page.check("#panel input[type=checkbox]")
    shown.settle()
    assert ["main \u203a setup \u203a helper", "2", "3", "0.25"] in shown.copied_rows()
    shown.page.click("#tab-ranks")
    shown.settle()
    drawn = ET.fromstring(shown.copied("SVG"))
    assert {"helper", "rank 0", "1", "4 s"} <= {each.text for each in drawn.iter(f"{SVG}text")}
    assert shown.copied_picture()[0] > 3
    assert ["helper", "2", "3", "4"] in shown.copied_rows()
    shown.page.click("#tab-flat")
    shown.settle()
    rows = shown.copied_rows()
    assert rows[1] == ["helper", "", "12", "12", "3", "4", "5"]
    assert [row[0] for row in rows if "solve" in row[0]] == ["'=solve"]  # cells must not become formulas
    assert shown.complaints == []


def test_what_a_browser_does_not_let_copy_is_shown_to_copy(show):
    shown = show(helper(), "#t=icicle")
    refuse = "() => { for (const name of ['write', 'writeText']) navigator.clipboard[name] = () => Promise.reject(); }"
    shown.page.evaluate(refuse)
    shown.page.click("#panel .copies button:text-is('CSV')")
    shown.page.wait_for_selector("textarea.copied")
    assert shown.page.evaluate("getSelection().toString()").startswith("call path,depth")
    shown.page.click("#panel .copies button:text-is('PNG')")
    shown.page.wait_for_selector("img.copied")
    assert shown.page.evaluate("document.querySelector('img.copied').decode().then(() => true)")
    for fails in (
        "Image.prototype.decode = () => Promise.reject()",
        "HTMLCanvasElement.prototype.toDataURL = () => 'data:,'",
    ):
        shown.page.evaluate(f"() => {{ {fails}; }}")
        shown.page.click("#panel .copies button:text-is('CSV')")
        shown.page.click("#panel .copies button:text-is('PNG')")
        shown.page.wait_for_selector("#panel .copies [role=status]:has-text('cannot draw the picture as PNG')")
        assert shown.page.locator("img.copied").count() == 0
        shown.page.reload()
        shown.page.wait_for_selector(".icicle g")
    assert shown.complaints == []
