"""The page in use: by mouse, by keys, by a link, without JavaScript, on paper."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region, Topology
from autoanalyzer.view.browser import browse
from autoanalyzer.view.page.document import Page, page_html
from autoanalyzer.view.source_file import SourceFile
from autoanalyzer.view.units import amount
from autoanalyzer.view.verdict import Entry

from ..conftest import STATES
from .conftest import SAMPLES, faults

RAYS = {"folders": [SAMPLES / "rays"]}
TABS = (
    "ranks",
    "flat",
    "topology",
    "compare",
    "counters",
    "time",
    "account",
    "roofline",
    "callers",
    "icicle",
    "messages",
)
SIZES = (390, 1280, 1920)
AROUND = [[".tabs"], ["#panel"]]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202egnp.exe\u202c",
    "]]> & <!-- \x00\x1b[31m",
    "x" * 10_000,
]


def many_ranks(ranks: int) -> Experiment:
    return Experiment(
        metrics=[Metric("wall_time", "sec")],
        call_paths=[CallPath(Region("function", "main", "a.c", "main", 0, 1, 2))],
        locations=[Location("machine", "node", rank) for rank in range(ranks)],
        severities={"wall_time": np.ones((1, ranks))},
    )


def hostile() -> Experiment:
    regions = [Region("function", name, f"{name[:99]}.c", name, 0, 1, 2) for name in HOSTILE]
    return Experiment(
        metrics=[Metric(name, "sec", description=name, source=name) for name in HOSTILE],
        call_paths=[CallPath(region, 0 if place else None) for place, region in enumerate(regions)],
        locations=[Location(name, name, rank) for rank, name in enumerate(HOSTILE)],
        severities={name: np.arange(1.0, 26.0).reshape(5, 5) for name in HOSTILE},
    )


def test_of_20_000_ranks_at_most_100_rows_are_in_the_document(show):
    shown = show(many_ranks(20_000))
    assert shown.page.locator("#tree-system .row").count() <= 100
    shown.page.focus("#tree-system")
    shown.press("End")
    found = shown.rows()["system"]
    assert len(found) <= 100
    assert found[-1]["label"] == "rank 19999"
    last = shown.page.locator("#tree-system .row.focused")
    assert [last.get_attribute(f"aria-{name}") for name in ("posinset", "setsize")] == ["20000", "20000"]
    assert shown.complaints == []


# Elements that exist for each row or line all do the same, so only a few are clicked.
CLICKED = {
    **dict.fromkeys(("button:not([role=tab])", "input[type=checkbox]", "summary", "canvas"), min(STATES, 50) // 2),
    **dict.fromkeys((".toggle", ".line .number"), 3),
}


@pytest.mark.parametrize("name", ["rays", "hybrid"])
@pytest.mark.by_day(name=["rays"])
def test_nothing_is_asked_of_the_network_whatever_is_clicked_and_pressed(name, experiments, show):
    other = experiments["rays_dynamic" if name == "rays" else name], "other"
    shown = show(experiments[name], of_page={**RAYS, "against": other, "counters": "<p>counters</p>"})
    page = shown.page
    address = page.url.split("#")[0]
    for tab in TABS:
        shown.tab(tab)
        # Elements outside the panel do the same on every tab, so they are clicked on the first one only.
        within = "" if tab == TABS[0] or STATES >= 200 else "#panel "
        for kind, most in CLICKED.items():
            selector = f"{within}{kind}"
            for place in range(min(page.locator(selector).count(), most)):
                if kind != "canvas":
                    shown.click(selector, place)
                elif page.locator(selector).nth(place).is_visible():
                    page.locator(selector).nth(place).click()  # at a place with content
                    shown.settle()
                if kind.startswith("button") and page.locator("dialog[open]").count():
                    page.keyboard.press("Escape")
        if page.get_attribute(f"#tab-{tab}", "aria-selected") != "true":
            shown.tab(tab)
    for select in page.locator("select").all():
        for value in select.locator("option").all():
            select.select_option(value.get_attribute("value"))
            shown.settle()
    for link in page.locator("a").all():
        link.click()
        shown.settle()
    for key in [
        "v",
        "v",
        "s",
        "s",
        "?",
        "Escape",
        "[",
        "]",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "0",
        "Escape",
        "/",
        "x",
        "Escape",
    ]:
        shown.press(key)
    for tree in ("metrics", "program", "system"):
        page.focus(f"#tree-{tree}")
        shown.press(
            *["End", "Home", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft", "PageDown", "Enter"]
        )
    assert shown.complaints == []
    assert page.url.split("#")[0] == address
    assert len(page.context.pages) == 1


def test_hostile_names_are_text(show):
    made = hostile()
    shown = show(made, "#co=", of_page={"against": (made, HOSTILE[0]), "folders": None})
    shown.page.focus("#tree-program")
    shown.press("Home", "ArrowRight")
    for tab in TABS:
        shown.tab(tab)
    labels = [row["label"] for rows in shown.rows().values() for row in rows]
    for name in HOSTILE:
        assert "".join(each if each.isprintable() else "\ufffd" for each in name) in labels
    text = shown.page.inner_text("body")
    assert "\u202e" not in text
    assert shown.page.locator("img").count() == 0
    assert shown.complaints == []


def test_hostile_source_is_text(experiments, show, monkeypatch):
    lines = tuple(each.replace("\x00", "") for each in HOSTILE * 20)
    monkeypatch.setattr(
        "autoanalyzer.view.sources.Sources.find",
        lambda _, name: SourceFile(name, None, lines, HOSTILE[0]),
    )
    shown = show(experiments["rays"], "#n=1")
    assert "<img src=x onerror=alert(1)>" in shown.page.inner_text(".source")
    assert shown.complaints == []


def test_the_page_is_never_wider_than_the_window(experiments, show):
    against = experiments["rays_dynamic"], f"/scratch/{'project-' * 20}/experiment.cube"
    for made, of_page in ((experiments["rays"], {**RAYS, "against": against}), (hostile(), RAYS)):
        shown = show(made, of_page=of_page)
        for width in SIZES:
            shown.page.set_viewport_size({"width": width, "height": 900})
            for tab in TABS:
                shown.tab(tab)
                assert shown.page.evaluate("document.documentElement.scrollWidth") <= width


# Colours do not depend on the width, and from 1,100 pixels on, all widths have the same layout.
@pytest.mark.parametrize(
    ("scheme", "widths", "beside"),
    [
        ("light", SIZES[:2], False),
        pytest.param("dark", SIZES[1:2], False, marks=pytest.mark.nightly),
        pytest.param("light", SIZES, True, marks=pytest.mark.nightly),
    ],
)
def test_axe_finds_nothing_to_complain_of(scheme, widths, beside, experiments, show):
    other = experiments["rays_dynamic"], "before"
    shown = show(experiments["rays"], "#n=1", color_scheme=scheme, bypass_csp=True, of_page={**RAYS, "against": other})
    for width in widths:
        shown.page.set_viewport_size({"width": width, "height": 900})
        for tab in (*TABS, "help"):
            if tab == "help":
                shown.press("?")
            else:
                shown.tab(tab)
            # Elements outside the panel look the same on every tab, so they are checked on the first one only.
            whole = tab in (TABS[0], "help") or beside
            colours, light = width != SIZES[0] or beside, scheme == "light"
            found = faults(shown.page, None if whole else AROUND, colours=colours, all_else=light)
            assert found == [], (width, tab)
        shown.press("Escape")


def test_from_the_verdict_to_the_source_line_by_keys_alone(experiments, show):
    shown = show(experiments["rays"], of_page=RAYS)
    page = shown.page
    shown.press("Tab", "Enter")  # the first link leads to the first finding
    assert "IMBALANCE" in page.inner_text(".finding-bar")
    assert shown.selected() == {"metrics": ["cpu_time"], "program": ["loop@28"], "system": ["rank 3"]}
    marked = page.locator(".line.marked").first
    assert marked.inner_text().split()[-3:] == ["rays;", "ray++)", "{"]
    assert page.inner_text(".source h2") == "propagate.c:28"
    shown.press("]")  # there is no other finding
    assert page.inner_text(".finding-bar").startswith("1 IMBALANCE")
    for key in ("v", "s", "s", "1", "1", "2", "Escape", "?"):
        shown.press(key)
    assert page.locator("dialog[open]").count() == 1
    shown.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".panel").count() == 0
    assert shown.complaints == []


def test_the_account_is_a_bar_for_each_region_as_long_as_its_own_time(experiments, show):
    account = analyze(experiments["rays"]).account
    own = np.array([account.own[name] for name in account.parts])
    longest = own[:, own.sum(axis=0).argmax()]
    shown = show(experiments["rays"])
    shown.press("7")
    assert shown.page.inner_text(".bars tr:first-child th") == "loop in propagate"
    drawn = (
        "all => all.map((each) => [each.querySelector('title').textContent.split(':')[0], each.width.baseVal.value])"
    )
    found = dict(shown.page.eval_on_selector_all("#panel .bars tr:first-child rect", drawn))
    assert found["computing"] == pytest.approx(480 * longest[account.parts.index("computing")] / longest.sum(), abs=0.1)
    shown.page.set_viewport_size({"width": 390, "height": 844})
    heights = shown.page.eval_on_selector_all("#panel .bars tr", "all => all.map((each) => each.offsetHeight)")
    assert max(heights) < 40  # places and times are not wrapped letter by letter
    assert sum(found.values()) == pytest.approx(480, abs=1)
    totals = shown.page.eval_on_selector_all("#panel .bars svg", "all => all.map((each) => each.getBBox().width)")
    assert totals == sorted(totals, reverse=True)
    assert shown.page.locator("#panel .copies button").all_inner_texts() == ["CSV"]
    rows = shown.copied_rows()
    assert rows[0][0] == "loop in propagate"
    assert any(each.startswith("computing: ") for each in rows[0][1:])
    assert shown.complaints == []


PLACES = """all => all.map((row) =>
  ['level', 'posinset', 'setsize'].map((name) => Number(row.getAttribute(`aria-${name}`))))"""


def test_trees_are_walked_by_keys(experiments, show):
    shown = show(experiments["rays"])
    shown.tall()
    places = shown.page.eval_on_selector_all("#tree-program .row", PLACES)
    for level in {level for level, *_ in places}:
        rest = 0  # the rows that remain below one parent
        for depth, position, siblings in places:
            if depth == level:
                rest = (rest or siblings) - 1
                assert position == siblings - rest
    shown.page.focus("#tree-program")
    shown.press("Home")
    assert shown.selected()["program"] == ["main"]
    shown.press("ArrowLeft")  # closes main
    assert [row["label"] for row in shown.rows()["program"]] == ["main"]
    shown.press("ArrowRight", "ArrowRight")
    first = shown.selected()["program"]
    assert first != ["main"]
    shown.press("ArrowLeft")
    if shown.selected()["program"] == first:  # the node was open, and is closed now
        shown.press("ArrowLeft")
    assert shown.selected()["program"] == ["main"]
    shown.press("/")
    shown.page.keyboard.type("propagate")
    shown.press("Enter", "Escape")
    assert shown.selected()["program"] == ["propagate"]
    assert shown.page.evaluate("document.activeElement.id") == "tree-program"


def test_a_page_opens_at_the_first_finding(experiments, show):
    assert show(experiments["rays"], "", of_page=RAYS).selected() == show(experiments["rays"], "#n=1").selected()


def test_a_search_lists_what_it_finds_in_all_trees_and_selects_it_at_enter(experiments, show):
    shown = show(experiments["rays"])
    before = shown.selected()
    shown.press("/")
    shown.page.keyboard.type("prog")
    assert shown.page.inner_text(".search [role=status]") == "1 found"
    assert shown.page.inner_text(".hits li") == "program_time metric"
    assert shown.selected() == before
    shown.page.keyboard.type("!")
    assert shown.page.inner_text(".search .missed") == "no name contains “prog!”"
    shown.press("Enter")
    assert shown.selected() == before
    shown.page.fill("#search", "loop@")
    shown.press("Enter", "Enter", "Shift+Enter")
    assert shown.page.inner_text(".search [role=status]").startswith("1 of ")
    assert shown.selected()["program"][0].startswith("loop@")
    shown.page.fill("#search", "Rank 2")
    assert shown.page.get_attribute("#search", "aria-controls") == "hits"
    shown.page.focus(".hits button")
    shown.press("Escape")
    assert shown.page.locator(".hits").count() == 0
    assert shown.page.evaluate("document.activeElement.id") == "search"
    shown.page.fill("#search", "rank 2")
    shown.page.click(".hits button")
    shown.settle()
    assert (shown.selected()["system"], shown.page.locator(".hits").count()) == (["rank 2"], 0)
    assert shown.complaints == []


def test_the_focus_is_never_lost(experiments, show):
    shown = show(experiments["rays"], of_page=RAYS)
    shown.page.focus("#tree-program")
    for key in ("Home", "ArrowRight", "v", "s", "1", "]", "Escape", "?", "Escape", "/", "Escape", "f", "2", "2"):
        shown.press(key)
        assert shown.page.evaluate("document.activeElement !== document.body"), key


def test_a_link_restores_what_is_shown(experiments, show):
    random = np.random.default_rng(2)
    shown = show(experiments["hybrid"], of_page=RAYS)
    for _ in range(12):
        tree = ("metrics", "program", "system")[random.integers(3)]
        shown.page.focus(f"#tree-{tree}")
        shown.press(*random.choice(["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Home", "End"], 4))
    shown.press("v", "2")
    again = show(experiments["hybrid"], "#" + shown.page.url.partition("#")[2], file=shown.file)
    assert again.rows() == shown.rows()
    assert again.page.url == shown.page.url
    assert again.page.locator("#panel").count() == 1
    assert again.page.input_value(".toolbar select") == "pct"


@pytest.mark.parametrize(
    "fragment", ["#m=none&c=%E0%A4%A&s=rank:99", "#n=77", "#&&==&v=&t=x&g=__proto__", "#co=a,b&m="]
)
def test_a_broken_link_shows_what_it_can(fragment, experiments, show):
    shown = show(experiments["rays"], fragment)
    assert len(shown.rows()["metrics"]) > 5
    assert shown.complaints == []


def test_a_name_leads_to_its_node_in_another_run(experiments, show):
    shown = show(experiments["rays"], "#n=2")
    fragment = "#" + shown.page.url.partition("#")[2]
    other = show(experiments["rays_dynamic"], fragment)
    assert other.selected()["metrics"] == shown.selected()["metrics"]


def test_the_verdict_is_read_without_javascript(experiments, show):
    page = show(experiments["rays"], java_script_enabled=False).page
    page.click("text=2 notes on this run")
    text = page.inner_text("body")
    assert "rays · 4 ranks on 2 cores · wall time 3.79 s · measuring overhead < 0.1 %" in text
    assert "busiest rank 1.51 s (100 %): its busy time" in text
    assert "mpirun --oversubscribe -n 4 ./rays" in text
    assert re.search(r"IMBALANCE\s+propagate.c:28\s+loop in propagate", text)
    assert "rank 3: 1.49 s" in text
    assert "trust busy time, not wall time: 4 ranks share 2 cores" in text
    assert "The trees need JavaScript." in text


def test_each_folded_finding_unfolds_by_its_place():
    findings = [Entry("WORK", f"a.c:{line}", "loop in f", lines=["rank 1"]) for line in (1, 2, 3)]
    summaries = re.findall(r"<summary>(.*?)</summary>", page_html(Page("t", "h", [], findings=findings)).decode())
    assert summaries == [f"more: a.c:{line}" for line in (2, 3)]


def test_notes_on_a_run_without_an_end_are_open(experiments, show):
    run = experiments["rays"]
    page = show(run).page
    assert page.locator("header details[open]").count() == 0
    page = show(run.replaced(notes=replace(run.notes, unfinished=(3,)))).page
    assert "on this run" in page.inner_text("header details[open] summary")


def test_what_is_printed_is_the_verdict_the_rows_in_view_and_the_legend(experiments, show, tmp_path):
    from pypdf import PdfReader  # noqa: PLC0415 - takes a tenth of a second of each worker of pytest

    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    file = tmp_path / "page.pdf"
    shown.page.pdf(path=file)
    text = "\n".join(page.extract_text() for page in PdfReader(file).pages)
    for wanted in ("IMBALANCE", "propagate.c:28", "rank 3", "loop@28", "cpu_time", "3.63 s"):
        assert wanted in text, wanted


def test_the_source_is_left_out_if_asked_and_said_if_it_is_not_there(experiments, show):
    shown = show(experiments["rays"], of_page={"folders": None})
    assert shown.page.locator(".source").count() == 0
    shown.press("s")
    assert "The source is not in this page." in shown.page.inner_text(".source")


def test_one_click_on_a_finding_and_the_source_line_is_there(experiments, show):
    shown = show(experiments["rays"], of_page=RAYS)
    shown.page.click(".findings li:first-child a")
    shown.settle()
    assert "for (int ray = 0; ray < rays; ray++)" in shown.page.inner_text(".line.marked.first")


def test_what_to_try_stands_below_its_finding_and_beside_the_lines_that_it_names(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    page = shown.page
    said = page.inner_text(".findings li:first-child .try")
    assert said == "try at schedule_static.c:16: deal the iterations out cyclically, or on demand"
    why = "why: the loop at schedule_static.c:47, from which this region is called, runs to length - 1, which"
    assert why in page.inner_text(".findings li:first-child")
    assert page.locator(".line.advised").count() == 0
    places = page.locator(".named button")
    assert places.all_inner_texts() == ["schedule_static.c:16", "schedule_static.c:43", "schedule_static.c:47"]
    places.first.click()
    shown.settle()
    assert page.inner_text(".source h2") == "schedule_static.c:16"
    assert "(worker - 1) / (size - 1)" in page.inner_text(".line.marked.advised")
    program = browse(experiments["rays"]).program.tree
    shown.go(f"c={quote(program.identities[program.labels.index('work')])}")
    assert page.inner_text(".source h2").startswith("schedule_static.c:")
    page.evaluate("document.querySelector('.source .text').scrollTop = 0")
    shown.settle()
    page.locator(".source").evaluate("each => { each.style.height = '6000px'; }")
    shown.settle()
    assert places.count() == 0
    advised = page.locator(".line.advised")
    assert [each.strip() for each in advised.locator(".number").all_inner_texts()] == ["16", "43", "47"]
    whole = "try: deal the iterations out cyclically, or on demand: the loop at schedule_static.c:47, from"
    assert [each[: len(whole)] for each in page.locator(".tip").all_inner_texts()] == [whole]
    assert "schedule_static.c:16" in (advised.last.get_attribute("title") or "")
    assert shown.complaints == []


@pytest.mark.parametrize("of_page", [{"folders": None}, {**RAYS, "advice": False}])
def test_without_sources_or_advice_nothing_is_to_try_in_them(of_page, experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=of_page)
    assert shown.page.locator(".try").count() == 0
    assert shown.page.locator(".advised").count() == 0


def test_a_line_of_the_source_selects_its_innermost_region(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    shown.page.locator(".line .number", has_text=re.compile("^27$")).click()
    shown.settle()
    assert shown.selected()["program"] == ["propagate"]


def test_a_cell_of_the_map_selects_its_call_path_and_rank(experiments, show):
    shown = show(experiments["rays"], "#n=1")
    shown.press("1")
    shown.page.focus("canvas")
    shown.press("ArrowRight", "Enter")
    assert len(shown.selected()["system"]) == 1
    assert shown.page.inner_text(".told").startswith(shown.selected()["program"][0])


DRAWN = """() => {
  const own = CanvasRenderingContext2D.prototype.fillText;
  window.drawn = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawn.push(text);
    own.call(this, text, ...rest);
  };
}"""


def test_the_map_has_numbers_of_ranks_values_and_a_scale(experiments, show):
    shown = show(experiments["rays"], "#n=1", of_page=RAYS)
    shown.page.evaluate(DRAWN)
    shown.press("1")
    assert {"rank 0", "1", "2", "3", "1.49 s", "806 ms"} <= {*shown.page.evaluate("drawn")}
    assert re.sub(r"\s+", " ", shown.page.inner_text("#panel .scale")) == "cpu_time 0 1.49 s"
    shown.page.check(".map-tools input")
    assert re.sub(r"\s+", " ", shown.page.inner_text("#panel .scale")) == "relative to the row's mean more less"


def test_a_title_of_the_flat_profile_sorts(experiments, show):
    shown = show(experiments["rays"])
    shown.press("2")
    names = lambda: shown.page.locator(".profile tbody tr:not([aria-hidden]) .link").all_inner_texts()  # noqa: E731
    by_time = names()
    shown.page.click(".profile th button:has-text('region')")
    shown.settle()
    assert names() == sorted(by_time, key=str.lower)
    shown.page.click(".profile th button:has-text('own')")
    shown.settle()
    assert names() == by_time


def on_a_grid() -> Experiment:
    ranks = range(12)
    return Experiment(
        metrics=[Metric("cpu_time", "sec")],
        call_paths=[CallPath(Region("function", name, "a.c", name, 0, 1, 2), parent) for name, parent in MAIN_AND_WORK],
        locations=[Location("machine", "node", rank) for rank in ranks],
        severities={"cpu_time": np.array([[0.1] * 12, [1.0 + rank // 6 for rank in ranks]])},
        topologies=[
            Topology(
                "plates",
                (("x", 2, False), ("y", 2, True), ("z", 3, False)),
                {(rank, 0): (rank % 2, rank // 2 % 2, rank // 4) for rank in ranks},
            )
        ],
    )


MAIN_AND_WORK = (("main", None), ("work", 0))


def test_ranks_stand_at_their_places_on_the_grid_a_plane_at_a_time(show):
    shown = show(on_a_grid())
    shown.page.evaluate(DRAWN)
    shown.press("3")
    assert {"0", "3", "1 s"} <= {*shown.page.evaluate("drawn")}
    assert shown.page.inner_text("#panel .scale").split()[:2] == ["cpu_time", "0"]
    assert "plates: x 2 × y 2 periodic × z 3" in shown.page.inner_text("#panel")
    shown.page.focus(".grid canvas")
    shown.press("ArrowRight", "ArrowRight", "ArrowDown", "Enter")
    assert shown.page.inner_text(".told") == "rank 3: 1 s"
    assert shown.selected()["system"] == ["rank 3"]
    shown.page.fill("#panel input[type=number]", "2")
    shown.settle()
    shown.page.focus(".grid canvas")
    shown.press("ArrowLeft", "ArrowUp", "ArrowUp")
    assert shown.page.inner_text(".told") == "rank 8: 2 s"
    assert shown.copied_rows()[::9] == [["rank", "x", "y", "z", "cpu_time (sec)"], ["rank 8", "0", "0", "2", "2"]]
    assert all(f">{each}</text>" in shown.copied("SVG") for each in ("8", "11", "2 s"))
    assert shown.complaints == []


def test_the_threads_at_one_place_of_the_grid_are_added_up(show):
    places = [(0, 0), (0, 1), (1, 0)]
    hybrid = Experiment(
        metrics=[Metric("cpu_time", "sec")],
        call_paths=[CallPath(Region("function", "main"))],
        locations=[Location("machine", "node", *place) for place in places],
        severities={"cpu_time": np.array([[2.0, 1.0, 0.5]])},
        topologies=[Topology("row", (("x", 2, False),), {place: (place[0],) for place in places})],
    )
    shown = show(hybrid, "#t=topology")
    assert shown.page.inner_text("#panel .scale").split() == ["cpu_time", "0", "3", "s"]
    shown.page.focus(".grid canvas")
    shown.press("ArrowRight")
    assert shown.page.inner_text(".told") == "thread 0.0: 2 s, thread 0.1: 1 s; together 3 s"
    assert shown.complaints == []


def test_a_part_of_a_value_that_is_missing_is_not_subtracted(show):
    metrics = [Metric("wall_time", "sec"), Metric("mpi_time", "sec", "wall_time")]
    severities = {"wall_time": np.array([[1.0, np.nan]]), "mpi_time": np.array([[0.25, 0.5]])}
    made = many_ranks(2).replaced(metrics=metrics, severities=severities)
    shown = show(made, "#m=wall_time&mo=wall_time")
    strip = shown.page.get_attribute("#tree-program .strip", "title")
    assert strip == "per location: minimum 750 ms, mean 750 ms, maximum 750 ms"


def test_the_system_is_grouped_by_cluster_if_asked(experiments, show):
    shown = show(experiments["hybrid"])
    shown.page.select_option(".toolbar label:has-text('system by') select", "cluster")
    shown.settle()
    assert [row["label"] for row in shown.rows()["system"]] == ["cluster A", "cluster B"]
    shown.page.focus("#tree-system")
    shown.press("Home", "ArrowRight", "ArrowDown", "ArrowRight")
    assert [row["label"] for row in shown.rows()["system"]] == [
        "cluster A",
        "rank 0",
        "thread 0",
        "rank 1",
        "cluster B",
    ]
    again = show(experiments["hybrid"], "#" + shown.page.url.partition("#")[2], file=shown.file)
    assert again.rows() == shown.rows()


def test_too_many_values_are_told_by_their_spread_and_by_ranges_of_ranks(experiments, show, monkeypatch):
    whole = show(experiments["rays"], "#n=1")
    monkeypatch.setattr("autoanalyzer.view.page.dataset._WHOLE", 10)
    monkeypatch.setattr("autoanalyzer.view.page.summary._BINS", 2)
    row = Topology("row", (("x", 4, False),), {(rank, 0): (rank,) for rank in range(4)})
    shown = show(experiments["rays"].replaced(topologies=[row]), "#n=1")
    page = shown.page
    assert "This experiment has too many values for a page." in page.inner_text("main")
    bins = {row["label"]: row["value"] for row in shown.rows()["system"]}
    assert [*bins] == ["4 ranks", "ranks 0 to 1", "ranks 2 to 3"]
    assert float(bins["ranks 2 to 3"].removesuffix(" s")) == pytest.approx(2.3, abs=0.011)
    values = [row["value"] for row in whole.rows()["system"] if row["label"].startswith("rank")]
    assert shown.rows()["program"] == whole.rows()["program"]
    page.select_option(".toolbar label:has-text('system by') select", "machine")
    shown.settle()
    page.focus("#tree-system")
    shown.press("Home", "ArrowRight", "ArrowDown", "ArrowRight")
    assert [row["value"] for row in shown.rows()["system"] if row["label"].startswith("rank")] == values
    page.focus("#tree-program")
    shown.press("Home")
    assert "This page does not contain these values" in page.inner_text(".pane.system")
    shown.go("m=wall_time")
    whole.go("m=wall_time")
    strip = "#tree-program .row.selected .strip"
    said = re.sub(r" \(rank \d\)|, deviation .*", "", page.get_attribute(strip, "title"))
    assert said == whole.page.get_attribute(strip, "title")
    assert "(rank 3), deviation " in page.get_attribute(strip, "title")
    shown.press("1")
    assert page.locator(".map canvas").count() == 1
    shown.press("0")
    assert page.locator(".icicle g").count() > 3
    shown.go("c=~0&t=topology")
    assert "are not in this page by location" in page.inner_text("#panel")  # the program's own values
    shown.go("n=1")
    of_ranks = shown.copied_rows()[1:]
    assert [name for name, *_ in of_ranks] == [f"rank {rank}" for rank in range(4)]
    assert [amount(float(value), "sec") for *_, value in of_ranks] == values
    assert shown.complaints == []


def test_what_one_of_two_runs_has_not_measured_is_no_part_of_their_comparison(show):
    before = on_a_grid()
    values = before.exclusive("cpu_time").copy()
    values[:, 0] = np.nan
    after = before.replaced(severities={"cpu_time": values})
    shown = show(after, of_page={"against": (before, "before")})
    shown.press("4")
    said = shown.page.inner_text("#panel > p")
    assert said.startswith("cpu_time of the program, sum of the ranks: 18.1 s in before, 18.1 s here")
    assert "values that are missing in one of the two experiments" in said
    shown.press("2")
    assert shown.copied_rows()[1] == ["work", "a.c:1", "17", "17", "1", str(17 / 11), "2"]


def test_a_metric_of_one_of_two_runs_alone_is_not_compared(show):
    before = on_a_grid()
    more = {"cpu_time": before.exclusive("cpu_time"), "visits": np.ones((2, 12))}
    after = before.replaced(metrics=[*before.metrics, Metric("visits", "occ")], severities=more)
    shown = show(after, "#m=visits", of_page={"against": (before, "before")})
    shown.press("4")
    assert shown.page.inner_text("#panel") == "visits is not in both experiments, or its values cannot be summed."


def test_a_metric_of_one_of_two_runs_alone_is_hatched_in_their_difference(show):
    before = on_a_grid()
    more = {"cpu_time": before.exclusive("cpu_time"), "visits": np.ones((2, 12))}
    counted = before.replaced(metrics=[*before.metrics, Metric("visits", "occ")], severities=more)
    for after, other in ((before, counted), (counted, before)):
        shown = show(after, "#e=difference", of_page={"against": (other, "before")})
        found = {row["label"]: row for row in shown.rows()["metrics"]}
        assert (found["visits"]["value"], found["visits"]["hatched"]) == ("not measured", True)
        assert not found["cpu_time"]["hatched"]
        shown.press("4")
        assert re.search("visits: .*so the change is unknown", shown.page.inner_text("#panel .caveats"))
        shown.go("e=difference&m=visits&t=flat")
        assert ["work", "a.c:1", "", "", "", "", ""] in shown.copied_rows()  # there is no smallest or largest value


def test_a_flat_profile_has_no_spreads_of_call_paths(show, monkeypatch):
    monkeypatch.setattr("autoanalyzer.view.page.dataset._WHOLE", 1)
    shown = show(on_a_grid())  # an experiment with as many regions as call paths
    titles = "all => all.map((each) => each.title)"
    assert shown.page.eval_on_selector_all("#tree-program .strip", titles)[0].startswith("per location")
    shown.go("f=flat")
    assert set(shown.page.eval_on_selector_all("#tree-program .strip", titles)) <= {""}


def test_means_of_a_rank_are_spoken_of_where_there_is_a_verdict(experiments, show):
    said = "Values in the verdict are means over the ranks"
    assert said in show(experiments["rays"]).page.inner_text("#app")
    assert said not in show(experiments["rays - rays_dynamic"]).page.inner_text("#app")
