"""The communication matrix on the page: one cell per pair of ranks, its text, and copied tables."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np

from autoanalyzer.experiment import Builder, Experiment
from autoanalyzer.experiment.algebra import difference
from autoanalyzer.experiment.messages import Messages
from autoanalyzer.view.messages import why_none

from .conftest import faults

SVG = "{http://www.w3.org/2000/svg}"
MOST, LEAST = "rgb(254 232 56)", "rgb(0 34 78)"  # the brightest and the darkest colour of the scale
LEFT, TOP, CELL = 64, 36, 60
INK = """() => {
  const canvas = document.querySelector("#panel canvas");
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, 30);
  const drawn = data.filter((_, place) => place % 4 === 0 && data[place + 3] > 200);
  return drawn.reduce((sum, red) => sum + red, 0) / drawn.length;
}"""  # the mean brightness of the text above the cells


def run(messages: Messages | None, ranks: int = 4) -> Experiment:
    builder = Builder()
    main = builder.call_path("main")
    builder.metric("wall_time", "sec")
    for rank in range(ranks):
        builder.location(rank)
    builder.row("wall_time", main, [1.0] * ranks)
    experiment = builder.experiment()
    return experiment.replaced(notes=replace(experiment.notes, messages=messages))


def matrix(*pairs: tuple[float, ...], ranks: int = 4, per_block: int = 1) -> Messages:
    """Return a matrix from rows of sender, receiver, messages, bytes and perhaps wait."""
    senders, receivers, *values = np.array(pairs, dtype=float).T
    return Messages(ranks, per_block, senders.astype(np.int32), receivers.astype(np.int32), *values)


FOUR = matrix((0, 1, 2, 4000, 0.25), (1, 3, 1, 1000, 0.5), (3, 0, 8, 0, 0))


def rects(picture: str) -> dict[tuple[int, int], str]:
    """Return the colour of each cell of a copied picture, by sender and receiver."""
    root = ET.fromstring(picture)
    every = [each.attrib for each in root.iter(f"{SVG}rect") if "x" in each.attrib]
    return {(int(float(each["y"]) - TOP) // CELL, int(float(each["x"]) - LEFT) // CELL): each["fill"] for each in every}


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(picture).iter(f"{SVG}text")]


def test_a_cell_per_pair_shows_bytes_messages_or_waits_and_says_all_three(show):
    shown = show(run(FOUR), "#t=messages")
    page = shown.page
    said = page.inner_text("#panel .map-tools")
    assert "11 messages, 5 kB, in point-to-point calls between 3 pairs of 4 ranks; receivers waited 750 ms; " in said
    assert said.endswith("collective calls and one-sided transfers are not included.")
    picture = shown.copied("SVG")
    cells = rects(picture)
    assert cells.keys() == {(0, 1), (1, 3), (3, 0)}
    assert (cells[0, 1], cells[3, 0]) == (MOST, LEAST)
    assert texts(picture) == ["receiver", "sender", *"00112233", "4 kB", "1 kB", "0 B"]
    assert "0 4 kB" in " ".join(page.inner_text("#panel .scale").split())
    page.select_option("#panel select", "messages")
    assert texts(shown.copied("SVG"))[-3:] == ["2", "1", "8"]
    page.select_option("#panel select", "wait")
    assert rects(shown.copied("SVG"))[1, 3] == MOST
    box = page.locator("#panel canvas").bounding_box()
    page.mouse.move(box["x"] + LEFT + 1.5 * CELL, box["y"] + TOP + 0.5 * CELL)
    assert page.inner_text("#panel .told") == (
        "rank 0 to rank 1: 2 messages, 4 kB (2 kB each); the receiver waited 250 ms"
    )
    assert shown.copied_rows() == [
        ["sender", "receiver", "messages", "bytes", "wait (s)"],
        ["0", "1", "2", "4000", "0.25"],
        ["1", "3", "1", "1000", "0.5"],
        ["3", "0", "8", "0", "0"],
    ]
    colours, at = shown.copied_picture(
        ((LEFT + 3.9 * CELL) / (LEFT + 4 * CELL + 30), (TOP + 1.1 * CELL) / (TOP + 4 * CELL + 12))
    )
    assert colours > 5
    assert at == [MOST]
    assert shown.complaints == []


def test_arrows_move_and_enter_selects_both_ranks(show):
    shown = show(run(FOUR))
    shown.press("m")
    page = shown.page
    page.focus("#panel canvas")
    shown.press("ArrowDown", "ArrowLeft", "ArrowDown", "ArrowRight", "ArrowRight")
    assert page.inner_text("#panel .told") == "rank 1 to rank 2: no messages"
    shown.press("ArrowRight")
    assert page.inner_text("#panel .told").startswith("rank 1 to rank 3: 1 message, 1 kB")
    shown.press("Enter")
    assert shown.selected()["system"] == ["rank 1", "rank 3"]
    assert shown.complaints == []


def test_many_ranks_are_blocks_with_whole_numbers_beside_them(show):
    blocks = matrix((0, 1, 2, 4000), (999, 0, 1, 1000), ranks=2998, per_block=3)
    shown = show(run(blocks), "#t=messages")
    page = shown.page
    assert "between 2 pairs of blocks of 3 of 2998 ranks; " in page.inner_text("#panel .map-tools")
    assert "How long receivers waited is unknown" in page.inner_text("#panel")
    assert page.locator("#panel option").all_inner_texts() == ["bytes", "messages"]
    assert shown.copied_rows()[1:] == [["0-2", "3-5", "2", "4000"], ["2997", "0-2", "1", "1000"]]
    numbers = texts(shown.copied("SVG"))[2:]
    assert numbers[:6:2] == numbers[1:6:2] == ["0", "150", "300"]  # every 50th block, because blocks are one pixel wide
    page.focus("#panel canvas")
    shown.press("ArrowDown", "ArrowRight")
    assert page.inner_text("#panel .told") == "ranks 0-2 to ranks 3-5: 2 messages, 4 kB (2 kB each)"
    assert shown.complaints == []


def test_a_difference_shows_how_messages_changed(show):
    later = matrix((0, 1, 4, 1000, 0.5), (1, 3, 1, 1000, 0.5), (3, 0, 7, 0, 0))
    shown = show(run(later), "#e=difference&t=messages", of_page={"against": (run(FOUR), "before")})
    page = shown.page
    assert "Before minus after: -1 messages, 3 kB, in point-to-point calls between 2 pairs of 4 ranks" in (
        page.inner_text("#panel .map-tools")
    )
    picture = shown.copied("SVG")
    assert texts(picture)[-2:] == ["3 kB", "0 B"]
    assert rects(picture) == {(0, 1): "rgb(33 102 172)", (3, 0): "rgb(247 247 247)"}  # the largest loss, and no change
    assert "-3 kB (more) 3 kB (less)" in " ".join(page.inner_text("#panel .scale").split())
    page.focus("#panel canvas")
    shown.press("ArrowDown", "ArrowRight")
    assert page.inner_text("#panel .told") == (
        "rank 0 to rank 1, before minus after: -2 messages, 3 kB; the receiver waited -250 ms"
    )
    shown.press("ArrowDown")
    assert page.inner_text("#panel .told") == "rank 1 to rank 1: no change"
    fewer = matrix((0, 1, 1, 4000, 0.25), (1, 3, 1, 1000, 0.5), (3, 0, 8, 0, 0))
    shown = show(run(fewer), "#e=difference&t=messages", of_page={"against": (run(FOUR), "before")})
    assert shown.page.input_value("#panel select") == "messages"  # the first one that changed
    assert shown.complaints == []


def test_a_run_without_messages_and_a_difference_say_why_in_the_words_of_dump(show):
    shown = show(run(None), "#t=messages", of_page={"against": (run(FOUR), "before")})
    why = why_none(run(None))
    assert why.startswith("the ranks exchanged no point-to-point messages, or ")
    assert shown.page.inner_text("#panel") == f"There is no communication matrix: {why}."
    shown.go("e=difference&t=messages")
    why = why_none(difference(run(FOUR), run(None)))
    assert why == "one of the two runs has none, or the runs have different numbers of ranks"
    assert shown.page.inner_text("#panel") == f"There is no communication matrix: {why}."
    assert shown.complaints == []


def test_numbers_of_ranks_can_be_read_after_a_change_of_the_theme(show):
    shown = show(run(FOUR), "#t=messages")
    dark = shown.page.evaluate(INK)
    shown.page.emulate_media(color_scheme="dark")
    shown.settle()
    assert shown.page.evaluate(INK) > dark + 100


def test_a_picture_of_too_many_shapes_is_copied_as_png_alone(show):
    side = np.arange(260)
    senders, receivers = np.repeat(side, 260), np.tile(side, 260)
    dense = Messages(260, 1, senders.astype(np.int32), receivers.astype(np.int32), np.ones(260**2), 8.0 * senders + 8)
    shown = show(run(dense), "#t=messages")
    assert shown.page.locator("#panel .copies button").all_inner_texts() == ["CSV", "PNG"]
    colours, _ = shown.copied_picture((0.5, 0.5))
    assert colours > 50
    assert shown.complaints == []


def test_a_wide_matrix_scrolls_within_the_page_and_axe_finds_nothing(show):
    ring = matrix(*((rank, (rank + 1) % 16, 1, 8, 0.5) for rank in range(16)), ranks=16)
    shown = show(run(ring, ranks=16), "#t=messages", size=(390, 900), bypass_csp=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert shown.page.locator("#panel canvas").bounding_box()["width"] > 390
    assert faults(shown.page, [["#panel"]]) == []
    assert shown.complaints == []
