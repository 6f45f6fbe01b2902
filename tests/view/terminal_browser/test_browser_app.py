"""The terminal browser: controlled by keys and the mouse, and read from the lines that it draws."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.view.browser import browse
from autoanalyzer.view.browser.tally import Value
from autoanalyzer.view.browser.written import written
from autoanalyzer.view.terminal_browser import BrowserApp
from autoanalyzer.view.terminal_browser.source_view import SourceView
from autoanalyzer.view.terminal_browser.tree_view import TreeView
from autoanalyzer.view.verdict import entries

from ..browser.reckoning import Reckoning, system_key
from ..conftest import FEW, FOREIGN, OWN, STATES

KEYS = ("up", "down", "down", "left", "right", "right", "home", "end", "m", "enter", "tab", "f")
WIDTH = 8  # columns of a value
SIZE = (120, 40)  # columns and lines, which are all drawn after each key
BESIDE = 20  # maximum number of lines outside the trees
_STEPS = 4  # a key is passed to the application, the screen, a widget, and its action
DIMENSIONS = ("metrics", "program", "system")

Act = Callable[[BrowserApp, Pilot], Awaitable[None]]

Pilot._wait_for_screen.__defaults__ = (1200.0,)  # seconds, instead of 30, which a busy machine may take


def driven(experiment: Experiment, act: Act, *, size: tuple[int, int] = SIZE, **options: object) -> None:
    """Start the browser without a terminal, and run an action in it."""

    async def session() -> None:
        app = BrowserApp(experiment, Path("experiment.cube"), **options)
        async with app.run_test(size=size) as pilot:
            await app.workers.wait_for_complete()
            await pilot.pause()
            pilot.press = _patient(pilot)
            await act(app, pilot)

    with ThreadPoolExecutor(1) as pool:  # in this thread, the tests of pages may have an event loop
        pool.submit(lambda: asyncio.run(session())).result()


def _patient(pilot: Pilot) -> Callable[..., Awaitable[None]]:
    """Return ``press`` that also waits for each key's effects, which the pilot omits on a busy machine."""
    press = pilot.press

    async def pressed(*keys: str) -> None:
        for key in keys:
            await press(key)
            for _ in range(_STEPS):
                await pilot._wait_for_screen()

    return pressed


def tree(app: BrowserApp, dimension: str) -> TreeView:
    return app.query_one(f"#{dimension}", TreeView)


def lines(app: BrowserApp, dimension: str) -> list[str]:
    """Return the lines that a tree draws."""
    view = tree(app, dimension)
    return [view.render_line(y).text.rstrip() for y in range(min(view.size.height, len(view.rows)))]


def finding(app: BrowserApp) -> str:
    return str(app.query_one("#finding", Static).render())


@pytest.mark.parametrize("name", ["rays", "rays - rays_dynamic"])
def test_keys_show_what_is_reckoned_from_the_cells(name, experiments):
    _press(experiments[name], FEW)


@pytest.mark.long
@pytest.mark.by_day(name=["trace"])
@pytest.mark.parametrize("name", [*OWN, "rays - rays_dynamic", *FOREIGN])
def test_many_keys_show_what_is_reckoned_from_the_cells(name, experiments):
    _press(experiments[name], STATES)


def _press(experiment: Experiment, times: int) -> None:
    reckoning, random = Reckoning(experiment), np.random.default_rng(3)
    panes = map(browse(experiment).pane, DIMENSIONS)
    height = BESIDE + max(len(pane.tree) for pane in panes)  # enough for all rows; empty lines are drawn, too

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        for key in random.choice(KEYS, times):
            await pilot.press(key)
            _compare(app, reckoning)

    driven(experiment, act, size=(240, height))


def _compare(app: BrowserApp, reckoning: Reckoning) -> None:
    browser = app.browser
    system = {system_key(browser, node): node for node in range(len(browser.system.tree))}
    expected = {
        "metrics": reckoning.metric_tree(browser),
        "program": reckoning.program_tree(browser),
        "system": {system[key]: value for key, value in reckoning.system_tree(browser).items()},
    }
    for dimension in DIMENSIONS:
        view = tree(app, dimension)
        drawn = lines(app, dimension)
        assert len(drawn) == len(view.rows)
        for row, line in zip(view.rows, drawn, strict=True):
            if row.state == "folded":
                continue
            text, _ = written(Value(*expected[dimension][row.nodes[0]]), row.unit)
            text = text.removeprefix("-") if view.gains else text  # the mark replaces the sign
            assert _number(line, signed=view.signed) == (text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…")
            assert line.endswith(row.label)


def _number(line: str, *, signed: bool) -> str:
    """Return the value in ``›■ ▲  1.49 s~███▏ ▾ name``."""
    return line[3 + signed :][:WIDTH].strip()


def test_a_difference_says_in_80_columns_by_how_much_where_and_on_which_ranks(experiments):
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        said = " ".join(finding(app).split())
        assert re.match(
            r"1 change: LOSS propagate.c:28 loop in propagate.* busy time: .* why: work moved from rank 3 ", said
        )
        assert "rank 1: 605 ms more, rank 3: 601 ms less" in said
        assert "wall time: " in said
        assert tree(app, "program").border_title == "Call path, cpu_time"  # the tree of metrics shows no names
        await pilot.press("right_square_bracket")
        assert finding(app).startswith("1 of ")

    driven(experiments["rays - rays_dynamic"], act, size=(80, 24))


def test_the_findings_of_the_verdict_are_shown_in_their_order(experiments):
    experiment = experiments["rays"]
    found = entries(analyze(experiment), highlights=True)

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        assert f"{len(found)} finding" in finding(app)
        for number, each in enumerate(found, start=1):
            await pilot.press("right_square_bracket")
            assert finding(app).startswith(f"{number} of {len(found)}  {each.kind} {each.where}")
            assert app.browser.program.selected == {each.highlight.path}
            metric = experiment.metrics[min(app.browser.metrics.selected)]
            assert metric.name == each.highlight.metric
        await pilot.press("left_square_bracket")
        assert finding(app).startswith(f"{max(len(found) - 1, 1)} of {len(found)}")

    driven(experiment, act)


def test_findings_of_another_tools_file_are_seen_by_its_own_times(experiments):
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("right_square_bracket")
        assert re.match("1 of [0-9]+  IMBALANCE", finding(app))
        assert [app.experiment.metrics[node].name for node in app.browser.metrics.selected] == ["time"]
        assert len(app.browser.system.selected) == 1  # the thread with the longest busy time there

    driven(experiments["trace"], act)


def test_the_first_finding_is_two_keys_from_its_source_line(experiments):
    samples = Path(__file__).parents[3] / "samples" / "rays"

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("right_square_bracket", "s")
        await pilot.pause()
        source = app.query_one(SourceView)
        assert source.border_title == "propagate.c:28"
        drawn = [source.render_line(y).text for y in range(source.size.height)]
        assert any(re.match(r" +28▌ +for \(int ray = 0;", line) for line in drawn)
        await pilot.press("escape")
        assert not source.display

    driven(experiments["rays"], act, folders=[samples])


def test_what_to_try_is_said_of_its_finding_and_marked_beside_the_lines_that_it_names(experiments):
    samples = Path(__file__).parents[3] / "samples" / "rays"

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("right_square_bracket")
        remedy = "try at schedule_static.c:16: deal the iterations out cyclically, or on demand"
        reason = "why: the loop at schedule_static.c:47, from which this region is called, runs to length"
        assert remedy in finding(app) and reason in finding(app)
        program = app.browser.program.tree
        app.browser = app.browser.selecting("program", program.labels.index("work"))
        await pilot.press("s")
        await pilot.pause()
        source = app.query_one(SourceView)
        source.scroll_to(0, 0, animate=False, force=True)
        drawn = [source.render_line(y).text for y in range(60)]
        assert [int(line.split()[0].rstrip("▌◆")) for line in drawn if "◆" in line[:8]] == [16, 43, 47]
        assert [line.partition("   ◆ ")[2][:14] for line in drawn if "   ◆ " in line] == ["try: deal the "]

    driven(experiments["rays"], act, folders=[samples], size=(400, 200))


def test_source_that_is_not_there_is_said(experiments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("right_square_bracket", "s")
        assert "was not found below" in str(app.query_one(SourceView).border_subtitle)

    driven(experiments["rays"], act)


def test_values_are_absolute_or_in_percent_of_three_things(experiments):
    experiment, other = experiments["rays"], experiments["rays_dynamic"]

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        seen = []
        for _ in range(5):
            seen.append((tree(app, "metrics").border_title, lines(app, "metrics")[1].split("█")[0].split()[-2:]))
            await pilot.press("v")
        whole = float(np.nansum(experiment.exclusive("wall_time")))
        of_other = 100 * whole / float(np.nansum(other.exclusive("wall_time")))
        assert [title for title, _ in seen] == [
            "Metric, absolute",
            "Metric, % of the program",
            "Metric, % of the selection",
            "Metric, % of before",
            "Metric, absolute",
        ]
        assert seen[0][1] == [f"{whole:.3g}", "s"]
        assert seen[1][1] == seen[2][1] == ["100", "%"]
        assert seen[3][1] == [f"{of_other:.0f}", "%"]

    driven(experiment, act, other=(other, "before"), size=(240, 40))


def test_search_finds_hidden_nodes_and_goes_on_and_the_cursor_stays_where_other_rows_are_folded(experiments):
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("slash")
        assert app.focused is app.query_one("#search", Input)
        await pilot.press(*"work", "enter")
        program = tree(app, "program")
        assert app.focused is program
        node, place = program.current.nodes, program.cursor
        tree(app, "metrics").focus()
        await pilot.press("home")  # for another metric, other call paths above it are small
        assert program.current.nodes == node
        assert program.cursor != place

        program.focus()
        await pilot.press("slash", *"loop", "enter")
        labels = app.browser.program.tree.labels
        first = min(app.browser.program.selected)
        assert "loop" in labels[first]
        await pilot.press("n")
        second = min(app.browser.program.selected)
        assert second != first
        assert "loop" in labels[second]
        await pilot.press("N")
        assert app.browser.program.selected == {first}
        assert program.current.nodes == (first,)

    driven(experiments["rays"], act)


def test_keys_are_explained_ranks_are_marked_and_a_click_selects_and_on_the_mark_opens(experiments):
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("question_mark")
        assert "next tree" in str(app.screen.query_one(Static).render())
        await pilot.press("escape")
        assert app.focused is tree(app, "program")

        tree(app, "system").focus()
        await pilot.press("end", "up")
        assert [line.split()[-1] for line in lines(app, "system") if line.startswith("›")] == ["2"]
        await pilot.press("m")
        assert not any(line.startswith("›") for line in lines(app, "system"))

        await pilot.click("#metrics", offset=(20, 1))
        assert app.browser.metrics.selected == {0}
        place = next(place for place, row in enumerate(tree(app, "metrics").rows) if row.state == "closed")
        mark = lines(app, "metrics")[place].index("▸")
        node = tree(app, "metrics").rows[place].nodes[0]
        await pilot.click("#metrics", offset=(mark + 1, place + 1))
        assert node in app.browser.metrics.open
        await pilot.click("#metrics", offset=(mark + 1, place + 1))
        assert node not in app.browser.metrics.open

    driven(experiments["rays"], act)


def test_gains_and_losses_are_marked_in_a_difference_alone(experiments):
    async def signs(app: BrowserApp, pilot: Pilot) -> None:
        drawn = "".join(lines(app, "metrics"))
        assert ("▲" in drawn and "▼" in drawn) == any(row.relief == "sunken" for row in tree(app, "metrics").rows)
        seen.append("▼" in drawn)

    seen: list[bool] = []
    driven(experiments["rays - rays_dynamic"], signs)
    driven(experiments["rays"], signs)
    assert seen == [True, False]


def hostile() -> Experiment:
    names = ["[red]no markup[/red]", "a\x1b[31mb\nc", "\u202egnp.exe", "x" * 10_000, "</script>"]
    paths = [
        CallPath(Region("function", name, f"{name}.c", name, 0, 1, 2), 0 if at else None)
        for at, name in enumerate(names)
    ]
    return Experiment(
        metrics=[Metric("wall_time[/]", "sec", display="[bold]time")],
        call_paths=paths,
        locations=[Location("[link=x]m", "n\x07", 0)],
        severities={"wall_time[/]": np.arange(1.0, 6.0)[:, None]},
    )


def test_names_are_shown_as_text():
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("home", "right", "s")
        drawn = lines(app, "program")
        assert drawn[0].endswith("[red]no markup[/red]")
        assert "\x1b" not in "".join(drawn)
        assert "\n" not in "".join(drawn)
        assert "\u202e" not in "".join(drawn)
        assert any(line.endswith("xxx…") for line in drawn)
        assert lines(app, "metrics")[0].endswith("[bold]time")
        assert lines(app, "system")[0].endswith("[link=x]m")

    driven(hostile(), act)


def test_what_was_not_measured_is_not_0():
    made = hostile().replaced(severities={"wall_time[/]": np.array([[np.nan], [1.0], [np.nan], [2.0], [0.0]])})

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await pilot.press("home", "left", "right")
        drawn = lines(app, "program")
        assert drawn[0].startswith("›░")
        assert "not mea…" in drawn[0]
        await pilot.press("left")
        assert "3 s~" in lines(app, "program")[0]

    driven(made, act)


def test_of_20_000_ranks_only_those_in_view_are_drawn():
    ranks = 20_000
    made = Experiment(
        metrics=[Metric("wall_time", "sec")],
        call_paths=[CallPath(Region("function", "main", "a.c", "main", 0, 1, 2))],
        locations=[Location("machine", "node", rank) for rank in range(ranks)],
        severities={"wall_time": np.ones((1, ranks))},
    )

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        view = tree(app, "system")
        view.focus()
        await pilot.press("end")
        await pilot.pause()
        assert len(view.rows) == ranks + 2
        drawn = [view.render_line(y).text.rstrip() for y in range(view.size.height)]
        assert drawn[-1].endswith(f"rank {ranks - 1}")

    driven(made, act, size=(120, 30))


def test_trees_show_the_first_finding_unless_the_flat_profile_was_asked_for(experiments):
    experiment = experiments["rays"]
    (first, *_) = entries(analyze(experiment), highlights=True)

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        selected = app.browser.program.selected
        assert (selected == {first.highlight.path}) == (not app.flat)
        assert app.shown_finding == -1

    for flat in (False, True):
        driven(experiment, act, flat=flat)


def test_80_columns_and_24_lines_have_the_whole_first_finding_and_two_trees(experiments):
    samples = Path(__file__).parents[3] / "samples" / "rays"

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        await app.workers.wait_for_complete()
        await pilot.pause()
        box = app.query_one("#finding", Static)
        drawn = "\n".join(box.render_line(y).text for y in range(box.size.height))
        for part in (
            "propagate.c:28",
            "saves up to 623 ms (41 % of busy time)",
            "rank 3: 1.49 s",
            "try at schedule_static.c:16: deal the iterations out",
        ):
            assert part in drawn
        assert "of different cost" in " ".join(drawn.split())  # the end of the suggestion
        assert "to confirm: autoanalyzer run" in drawn
        assert "1 finding: IMBALANCE propagate.c:28" in drawn  # no key for a next finding is named
        title = str(app.query_one("#headline", Static).render())
        assert "busiest rank 1.51 s (100 %)" in title and "% of busy time" in drawn
        assert "more lines" not in drawn
        assert tree(app, "metrics").size.width < 5
        assert min(tree(app, each).size.width for each in ("program", "system")) > 30
        assert tree(app, "program").size.height >= 6
        await pilot.press("shift+tab")
        assert tree(app, "metrics").size.width > 15
        await pilot.resize_terminal(60, 18)
        *first, last = finding(app).split("\n")
        assert last == "… enlarge the window to see more lines"
        assert "try at schedule_static.c:16: deal the iterations out" in " ".join(first)

    driven(experiments["rays"], act, folders=[samples], size=(80, 24))


def test_no_line_is_wider_than_its_tree(experiments):
    async def act(app: BrowserApp, pilot: Pilot) -> None:
        for size in ((40, 12), (80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            for dimension in DIMENSIONS:
                view = tree(app, dimension)
                assert view.size.height
                for y in range(view.size.height):
                    assert view.render_line(y).cell_length == view.scrollable_content_region.width

    driven(experiments["rays"], act)


def test_without_a_terminal_the_way_out_is_said(experiments, capsys):
    from autoanalyzer.cli.main import main  # noqa: PLC0415

    data = Path(__file__).parents[2] / "data" / "rays.cube.gz"
    with pytest.raises(SystemExit) as ended:
        main(["view", str(data)])
    assert ended.value.code == 2
    assert (
        "expected a terminal to browse in, found none; to write a page, add -o report.html" in capsys.readouterr().err
    )


def test_keys_in_a_tree_without_rows_do_nothing():
    path = CallPath(Region("function", "main", "a.c", "main", 0, 1, 2))
    made = Experiment(
        metrics=[Metric("wall_time", "sec")], call_paths=[path], locations=[], severities={"wall_time": np.ones((1, 0))}
    )

    async def act(app: BrowserApp, pilot: Pilot) -> None:
        tree(app, "system").focus()
        await pilot.press("down", "right", "left", "enter", "end", "m")
        assert lines(app, "system") == []

    driven(made, act)
