"""The page on scaling: its statements, and its appearance in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from lxml import html as parser

from autoanalyzer.analyze.scaling import Scaling, compare_scaling, find_scaling, series_of
from autoanalyzer.experiment import Builder, Experiment, Notes, Region
from autoanalyzer.view.page import page_html
from autoanalyzer.view.page.scaling import scaling_comparison_page, scaling_page
from autoanalyzer.view.page.scaling.efficiency import share
from autoanalyzer.view.page.scaling.page import answer
from autoanalyzer.view.source_file import SourceFile

from .conftest import Shown, faults

RATE = 1e9
SOURCE = tuple(f"text of line {line}" for line in range(1, 60))
Work = dict[str, list[float]]  # seconds per rank, by region


def run(work: Work, *, counted: bool = True, transfer: float | None = None, pace: float = 1.0) -> Experiment:
    """Return a run; each region takes the time of rank 0 on the critical path. Without ``transfer``, ranks share cores.

    ``pace`` is the time per 1e9 instructions.
    """
    ranks = len(next(iter(work.values())))
    processors = 2 if transfer is None else 64
    builder = Builder(Notes(program="app", command=("mpirun", "./app"), processors=processors))
    for name, parent in (("cpu_time", None), ("mpi_cpu_time", "cpu_time"), ("wall_time", None), ("path_time", None)):
        builder.metric(name, parent=parent)
    builder.metric("mpi_time", parent="wall_time")
    builder.metric("program_time")
    if counted:
        builder.metric("instructions", "occ", source="simulated:")
    for rank in range(ranks):
        builder.location(rank)
    main = builder.call_path(Region("function", "main", "app.c", "main", 0, 1, 59))
    length = pace * sum(values[0] for values in work.values())
    for place, (name, values) in enumerate(work.items()):
        path = builder.call_path(Region("function", name, "app.c", name, 0, 10 * place + 5, 10 * place + 8), main)
        builder.row("cpu_time", path, [pace * each for each in values])
        builder.row("wall_time", path, [pace * each for each in values])
        builder.row("path_time", path, [pace * values[0], *[0.0] * (ranks - 1)])
        if counted:
            builder.row("instructions", path, [RATE * each for each in values])
    send = builder.call_path(Region("mpi", "MPI_Send", "app.c", "main", 0, 58, 58), main)
    late = [length + (transfer or 0.0) - pace * sum(values[rank] for values in work.values()) for rank in range(ranks)]
    for metric in ("wall_time", "mpi_time"):
        builder.row(metric, send, late)
    builder.row("program_time", main, [length + (transfer or 0.0)] * ranks)
    return builder.experiment()


def judged(*runs: Experiment, mode: Any = "strong") -> Scaling:
    return find_scaling(series_of([[each] for each in runs], [f"out{number}" for number in range(len(runs))]), mode)


def series(*sizes: int, alone: float = 0.5, **options: Any) -> Scaling:
    """Judge runs with 8 s of divided work, 1 s on every rank, and ``alone`` seconds on rank 0."""
    return judged(
        *(
            run(
                {
                    "divided": [8 / ranks] * ranks,
                    "repeated": [1.0] * ranks,
                    "master": [alone, *[0.0] * (ranks - 1)],
                },
                **options,
            )
            for ranks in sizes
        )
    )


def source(name: str) -> SourceFile:
    return SourceFile(name, Path(name), SOURCE)


def parsed(scaling: Scaling, **options: Any) -> etree._Element:
    return parser.fromstring(page_html(scaling_page(scaling, **options)))


def text_of(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())


def test_the_answer_names_the_factor_its_number_of_ranks_and_the_largest_loss() -> None:
    assert answer(series(1, 2, 4)) == (
        "app stops scaling well at 2 ranks (efficiency 0.86); the first factor below 0.9 is instructions (0.76 at 4 "
        "ranks); the largest loss at 4 ranks, 3 s of the 4.5 s lost over all ranks, is in repeated (app.c:15): every "
        "rank repeats the same work"
    )
    perfect = judged(*(run({"divided": [8 / ranks] * ranks}) for ranks in (1, 2, 4)))
    assert answer(perfect) == "app scales well up to 4 ranks (efficiency 1.00)"
    slow = judged(*(run({"divided": [8 / ranks] * ranks}, pace=ranks) for ranks in (1, 2)))
    assert answer(slow).endswith(
        "the first factor below 0.9 is time per instruction (0.50 at 2 ranks); the largest loss at 2 ranks, 8 s of the "
        "8 s lost over all ranks, is in all regions: the same instructions take more time"
    )


def unequal(*shares: float) -> Work:
    return {"divided": [8 * each for each in shares]}


def test_the_answer_names_the_number_of_ranks_from_which_efficiency_is_low_whatever_single_factors_are() -> None:
    several = [{"divided": [8 / ranks] * ranks, "repeated": [each] * ranks} for ranks, each in ((1, 0), (2, 0.25))]
    several[1]["master"] = [0.25, 0.0]  # no single factor is below 0.9
    assert answer(judged(*map(run, several))).startswith(
        "app stops scaling well at 2 ranks (efficiency 0.89); no single factor is below 0.9; the largest loss"
    )
    work = {"divided": [2.0] * 4, "repeated": [1.0] * 4}
    assert answer(judged(*map(run, [*several, work]))).startswith(
        "app stops scaling well at 2 ranks (efficiency 0.89); the first factor below 0.9 is instructions (0.67 at 4 "
    )
    faster = [
        run({"divided": [8 / ranks] * ranks, "repeated": [2.0 * (ranks > 1)] * ranks}, pace=pace)
        for ranks, pace in ((1, 1.0), (2, 0.6), (4, 0.7))
    ]
    assert answer(judged(*faster)).startswith(
        "app stops scaling well at 4 ranks (efficiency 0.71); the first factor below 0.9 is instructions (0.67 at 2 "
    )


def test_a_program_that_loses_time_with_the_fewest_ranks_does_not_stop_scaling_there() -> None:
    found = judged(run(unequal(0.7, 0.3)), run(unequal(0.35, 0.35, 0.15, 0.15)))
    assert answer(found).startswith(
        "app already has an efficiency of only 0.71 with 2 ranks; the first factor below 0.9 is load balance (0.71 at "
        "2 ranks); the largest loss at 4 ranks"
    )


def test_in_weak_scaling_the_work_per_rank_grows() -> None:
    grown = [{"own": [8.0] * ranks, "search": [0.5 * ranks] * ranks} for ranks in (1, 2, 8)]
    assert answer(judged(*map(run, grown), mode="weak")).endswith(
        "is in search (app.c:15): the work per rank grows with the number of ranks"
    )
    assert answer(judged(*map(run, grown), mode="strong")).endswith("every rank repeats the same work")
    divided = [{"own": [8.0 / ranks] * ranks, "search": [0.5 * ranks] * ranks} for ranks in (1, 2, 8)]
    assert answer(judged(*map(run, divided), mode="strong")).endswith(
        "is in search (app.c:15): the total work grows with the number of ranks"
    )
    assert answer(judged(*(run(each, counted=False) for each in divided), mode="strong")).endswith(
        ": all ranks together are busy longer with more ranks, because work grows or cores are slower"
    )


def test_losses_that_faster_cores_make_up_for_do_not_limit_scaling() -> None:
    runs = [run({"divided": [8 / ranks] * ranks, "repeated": [4.0] * ranks}, pace=1 / ranks) for ranks in (1, 2)]
    assert answer(judged(*runs)) == (
        "app scales well up to 2 ranks (efficiency 1.50); the first factor below 0.9 is instructions (0.75 at 2 "
        "ranks); the largest loss at 2 ranks, 4 s over all ranks, is in repeated (app.c:15): every rank repeats the "
        "same work"
    )
    page = parsed(judged(*runs))
    (gain,) = page.iterfind(".//svg[@class='chart']/rect[@class='gain']")
    assert "losses compensated by" in text_of(gain)
    legend = [text_of(each) for each in page.find(".//ul[@class='key']")]
    assert legend == ["efficiency", "REPLICATED", "losses compensated by faster cores or unexplained gains"]
    rows = [[text_of(cell) for cell in row] for row in page.iterfind(".//table/tbody/tr")]
    assert ["2", "FASTER CORES", "-8 s", "-100 %"] in rows
    assert not any("-0 " in cell or "-<" in cell for row in rows for cell in row)


@pytest.mark.parametrize(("value", "text"), [(-1e-9, "< 0.1 %"), (-0.02, "-2.0 %"), (0.0, "0.0 %"), (0.5, "50 %")])
def test_a_share_that_is_rounded_to_nothing_has_no_sign(value: float, text: str) -> None:
    assert share(value) == text


def test_a_loss_has_its_place_evidence_advice_and_source() -> None:
    first, second = parsed(series(1, 2, 4), find=source).iterfind(".//ol[@class='findings losses']/li")
    assert text_of(first).startswith("REPLICATED app.c:15 repeated 3 s (67 % of the loss)")
    assert "the same 1.0e9 instructions per rank" in text_of(first)
    assert "try: divide the work among the ranks" in text_of(first)
    marked = [text_of(each) for each in first.iterfind(".//span[@class='line marked']")]
    assert marked == [f"{line}text of line {line}" for line in (15, 16, 17, 18)]
    assert first.find("details").get("open") is not None
    assert second.find("details").get("open") is None
    assert "master" in text_of(second)
    assert not parsed(series(1, 2, 4)).findall(".//pre")


def test_a_factor_just_below_the_limit_is_marked_as_its_rounded_value_does_not_show_it() -> None:
    runs = [run({"divided": [8 / ranks] * ranks, "repeated": [each] * ranks}) for ranks, each in ((1, 0), (2, 0.455))]
    (row,) = (each for each in parsed(judged(*runs)).iterfind(".//tr") if "falls first" in text_of(each))
    assert [(text_of(each), each.get("class")) for each in row[1:]] == [("1.00", "number"), ("0.90", "number low")]


def test_words_in_the_evidence_are_explained() -> None:
    assert "P is the number of ranks." not in text_of(parsed(series(1, 2, 4)))
    grows = [{"own": [8 / ranks] * ranks, "search": [0.1 * ranks] * ranks} for ranks in (1, 2, 4)]
    page = text_of(parsed(judged(*map(run, grows))))
    assert "1.0e8 * P instructions per rank" in page
    assert "P is the number of ranks." in page
    assert "“On the path” is" not in page


def test_names_of_files_and_functions_and_sources_are_text() -> None:
    evil = '<img src=x onerror="1">\x1b[31m  two  blanks'
    work = {"divided": [8.0], evil: [0.5]}, {"divided": [4.0, 4.0], evil: [0.5, 0.5]}
    file = SourceFile("app.c", Path("app.c"), tuple([f"</pre>{evil}"] * 60), warning=evil)
    found = judged(*map(run, work))
    for made in (scaling_page(found, find=lambda _: file), scaling_comparison_page(compare_scaling(found, found))):
        page = parser.fromstring(page_html(made))
        assert not page.findall(".//img")
        assert '<img src=x onerror="1">\ufffd[31m' in text_of(page)


def test_columns_add_up_to_the_run_and_the_table_marks_what_falls() -> None:
    page = parsed(series(1, 2, 4))
    parts = [(float(each.get("y")), float(each.get("height"))) for each in page.iterfind(".//svg[@class='chart']/rect")]
    whole = max(y + height for y, height in parts) - min(y for y, _ in parts)
    assert sum(height for _, height in parts) == pytest.approx(3 * whole, rel=0.01)
    rows = {text_of(each[0]): [cell.get("class") for cell in each[1:]] for each in page.iterfind(".//tbody/tr")}
    assert rows["instructions falls first"] == ["number", "number", "number low"]
    assert rows["speedup"] == ["number"] * 3


def test_messages_lose_time_and_have_a_curve() -> None:
    page = parsed(series(1, 2, 4, transfer=1.0, counted=False))
    keys = [text_of(each) for each in page.iterfind(".//ul[@class='key']/li")]
    assert "B outside the critical path (messages)" in keys
    assert "run" in keys
    assert "No count was measured in all runs." in text_of(page)
    assert "No prediction, because it needs runs with at least three different numbers of ranks." in text_of(
        parsed(series(1, 2))
    )


def test_a_comparison_shows_the_losses_that_changed_and_the_factor_that_changed_most() -> None:
    found = compare_scaling(series(1, 2, 4), series(1, 2, 4, alone=0.1))
    page = parser.fromstring(page_html(scaling_comparison_page(found)))
    assert text_of(page.find(".//h1")).startswith("UNCLEAR: app may scale better: efficiency 0.73 instead of 0.68")
    titles = [text_of(each) for each in page.iterfind(".//h2")]
    assert titles[:2] == ["Efficiency and losses before", "Efficiency and losses now"]
    (change,) = page.iterfind(".//ol[@class='findings losses']/li")
    assert text_of(change) == "LESS IMBALANCE app.c:25 master before 1.5 s now 300 ms"
    before, now = (float(each.get("width")) for each in change.iterfind(".//rect"))
    assert now / before == pytest.approx(0.2, abs=0.01)
    assert "unchanged: 1 loss" in text_of(page)
    (marked,) = (each for each in page.iterfind(".//th[@scope='row']") if each.find("span") is not None)
    assert text_of(marked) == "load balance changed most"
    *_, before, now = page.iterfind(".//table[@class='factors']/tbody/tr")
    assert before.get("class") == now.get("class") == "product"
    assert [text_of(each) for each in now] == ["now", "1.00", "0.89", "0.73"]


@pytest.fixture(scope="module")
def shown(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Open the page on a series with many kinds of losses."""
    file = tmp_path_factory.mktemp("page") / "scale.html"
    found = series(1, 2, 4, 8, 16, 32, 64, 128)
    file.write_bytes(page_html(scaling_page(found, find=source)))
    page = chromium.new_page()
    page.set_default_timeout(0)  # only pytest's limit applies
    shown = Shown(page, file)
    page.on("console", lambda said: shown.complaints.append(said.text))
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url == file.as_uri() else shown.complaints.append(asked.url[:80]))
    page.goto(file.as_uri())
    page.wait_for_selector(".copies")
    yield shown
    page.close()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_page_fits_the_screen_and_has_no_faults(shown: Shown, width: int, theme: Any) -> None:
    shown.page.set_viewport_size({"width": width, "height": 800})
    shown.page.emulate_media(color_scheme=theme)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    charts = shown.page.eval_on_selector_all(
        "svg.chart", "all => all.map((each) => each.getBoundingClientRect().width)"
    )
    assert len(charts) == 2
    assert all(0.4 * width < each < width for each in charts)
    assert faults(shown.page, all_else=width == 1280) == []
    assert shown.complaints == []
    if width == 1280:  # the answer, the factors and the picture must be on the first screen
        assert shown.page.locator("svg.chart").first.bounding_box()["y"] < 400


def test_what_is_not_explained_does_not_look_like_efficiency(chromium: Any, tmp_path: Path) -> None:
    runs = [
        run({"divided": [8 / ranks] * ranks, **{f"small{number}": [0.05] * ranks for number in range(10)}})
        for ranks in (1, 2)
    ]
    (tmp_path / "scale.html").write_bytes(page_html(scaling_page(judged(*runs))))
    page = chromium.new_page()
    page.goto((tmp_path / "scale.html").as_uri())
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        colours = page.evaluate("""() => ['.useful', '.rest'].map((name) => {
            const style = getComputedStyle(document.querySelector(`.chart ${name}`));
            return [style.fill, style.stroke];
        })""")
        ((useful, border), (rest, edge)) = colours
        grey = [sum(map(int, re.findall(r"\d+", each)[:3])) for each in (useful, rest)]
        assert abs(grey[0] - grey[1]) > 100
        assert border == "none" != edge
    page.close()


def test_pictures_and_tables_can_be_copied(shown: Shown) -> None:
    efficiency = ".mark:has(h2:text-is('Efficiency and losses'))"
    rows = shown.copied_rows(efficiency)
    assert rows[0] == ["ranks", "part", "rank-seconds", "share"]
    assert ["1", "efficiency", "9.5 s", "100 %"] in rows
    svg = etree.fromstring(shown.copied("SVG", efficiency).encode())
    assert len(svg.findall("{*}rect")) > 8
    colours, _ = shown.copied_picture(within=efficiency)
    assert colours > 5
    regions = shown.copied_rows(".mark:has(h2:text-is('Regions over ranks'))")
    assert regions[0] == ["ranks", *(str(2**power) for power in range(8))]
    assert ["app.c:15 repeated", *["1 s"] * 8] in regions
    losses = shown.copied_rows(".mark:has(.losses)")
    assert losses[1][:3] == ["REPLICATED", "app.c:15", "repeated"]
    factors = shown.copied_rows(".mark:has(.factors)")
    assert factors[0] == ["ranks", *(str(2**power) for power in range(8))]
