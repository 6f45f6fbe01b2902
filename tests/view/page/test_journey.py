"""After random keys and clicks, the focus is still visible, nothing has failed, and a link shows the same state."""

from __future__ import annotations

from importlib import import_module
from urllib.parse import quote

import numpy as np
import pytest

from autoanalyzer.view.browser import browse
from autoanalyzer.view.page import Recording

from ..conftest import STATES
from .conftest import SAMPLES
from .traces import profile, saved

RAYS = {"folders": [SAMPLES / "rays"]}
KEYS = (
    *("ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "PageUp", "Enter", "Space"),
    *("Control+ArrowDown", "Control+Enter", "Tab", "Tab", "Shift+Tab", "Escape", "v", "s", "?", "[", "]", "/"),
    *("1", "2", "3", "4", "5", "6", "7", "8", "9", "0"),
)
CLICKABLE = ".row, .row .toggle, .tabs button, .panel button, .toolbar button, .line .number, canvas, .findings a"
STEPS = 40
FOCUSED = "document.activeElement !== document.body"


def _journey(shown, seed: int, steps: int, *, mouse: bool) -> None:
    """Press random keys, and click at random places."""
    random = np.random.default_rng(seed)
    page = shown.page
    page.focus("#tree-program")
    pressed = []
    for _ in range(steps):
        if mouse and random.random() < 0.4:
            # A dialog covers everything else.
            places = page.locator("dialog button" if page.locator("dialog[open]").count() else CLICKABLE)
            place = places.nth(int(random.integers(places.count())))
            if place.is_visible():
                place.click(force=True)
                pressed.append("click")
                shown.settle()
        else:
            key = str(random.choice(KEYS))
            pressed.append(key)
            shown.press(key)
            if key.endswith("Tab") and not page.evaluate(FOCUSED):
                within = "dialog button" if page.locator("dialog[open]").count() else "#tree-program"
                page.focus(within)  # after the last element, the focus leaves the page
            assert mouse or page.evaluate(FOCUSED), str(pressed[-8:])
        assert shown.complaints == [], str(pressed[-8:])


def _look(shown):
    page = shown.page
    shown.tall()
    tabs = page.eval_on_selector_all("[role=tab]", "all => all.map((each) => each.getAttribute('aria-selected'))")
    values = page.eval_on_selector_all(".toolbar select", "all => all.map((each) => each.value)")
    return shown.rows(), tabs, values, page.locator(".source").count()


def _is_linked(shown, show, experiment) -> None:
    fragment = shown.page.url.partition("#")[2]
    again = show(experiment, f"#{fragment}", file=shown.file)
    assert _look(again) == _look(shown)


def test_keys_at_random_never_lose_the_focus_and_a_link_shows_the_same(experiments, show):
    other = experiments["rays_dynamic"], "other"
    shown = show(experiments["rays"], of_page={**RAYS, "against": other})
    _journey(shown, 1, STEPS, mouse=False)
    _is_linked(shown, show, experiments["rays"])


def test_clicks_and_keys_at_random_and_a_link_shows_the_same(experiments, show):
    other = experiments["rays_dynamic"], "other"
    shown = show(experiments["rays"], of_page={**RAYS, "against": other})
    _journey(shown, 2, STEPS, mouse=True)
    _is_linked(shown, show, experiments["rays"])


def test_clicks_and_keys_at_random_over_time_lines_and_a_link_shows_the_same(show, tmp_path):
    made = profile()
    shown = show(made, "#t=time", of_page={"recordings": [Recording(saved(tmp_path), "out", "the run")]})
    _journey(shown, 5, STEPS, mouse=True)
    _is_linked(shown, show, made)


@pytest.mark.long
@pytest.mark.nightly  # by day: shorter journeys
@pytest.mark.parametrize("name", ["hybrid", "summary", "rays - rays_dynamic"])
@pytest.mark.parametrize("seed", range(3, 9))
def test_long_journeys(name, seed, experiments, show):
    shown = show(experiments[name], of_page=RAYS)
    _journey(shown, seed, 2 * STATES, mouse=seed % 2 == 0)
    _is_linked(shown, show, experiments[name])


def test_the_focus_stays_where_what_had_it_goes(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    page = shown.page
    for what, key in ((".source .text", "s"), ("#panel", "2"), ("#panel", "Escape")):
        if what == "#panel":
            page.click("#tab-flat")
            shown.settle()
        page.focus(what)
        shown.press(key)
        assert page.evaluate(FOCUSED), (what, key)


def test_the_focus_stays_on_the_button_of_the_last_finding(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    button = shown.page.locator(".finding-bar button").last
    button.focus()
    shown.press(*["Enter"] * shown.page.locator(".findings li").count())
    assert shown.page.evaluate("document.activeElement.textContent") == "]"
    assert button.get_attribute("aria-disabled") == "true"


def test_keys_in_a_tree_without_rows_do_nothing(experiments, show, monkeypatch):
    module = import_module("autoanalyzer.view.page.dataset")
    monkeypatch.setattr(module, "_WHOLE", 0)
    monkeypatch.setattr(module, "_MAIN", 1)
    shown = show(experiments["rays"])
    page = shown.page
    page.focus("#tree-metrics")
    shown.press("End")
    assert page.locator("#tree-system .row").count() == 0
    page.focus("#tree-system")
    shown.press("ArrowDown", "End", "ArrowRight", "ArrowLeft", "Enter", "Space")
    assert shown.complaints == []


def test_a_cell_that_the_map_no_longer_has_is_not_chosen(experiments, show):
    shown = show(experiments["rays"], "#n=1")
    page = shown.page
    page.click("#tab-ranks")
    shown.settle()
    page.focus("canvas")
    shown.press(*["ArrowDown"] * page.locator(".map-names li").count())
    shown.go(f"c={quote(browse(experiments['rays']).program.tree.identities[0])}&co=&t=ranks")
    assert page.locator(".map-names li").count() == 1
    page.focus("canvas")
    shown.press("Enter", "ArrowDown", "Enter")
    assert shown.complaints == []
