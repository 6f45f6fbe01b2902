"""Time the page of `autoanalyzer view` in a browser, and pages with the same values as JSON and as plotly charts.

    python benchmarks/view/run.py [--sizes 1M 16M 200M] [--repeat 5]

Needs Debian's chromium-headless-shell, and for the plotly pages plotly (pip install plotly). In each round, each kind
of page is opened in a new browser; medians are printed. A selection is a click or a key press, sent as the browser's
own input event; its time ends with the frame in which the row is marked and all trees show its values.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from synthetic import synthetic

from autoanalyzer.experiment import Experiment
from autoanalyzer.view.page import Subject, page_html, page_of

SIZES = {"1M": (71, 1000, 14), "16M": (228, 5000, 14), "200M": (2000, 100_000, 4)}
SELECTIONS = 40
_CHROMIUM = "/usr/bin/chromium-headless-shell"
_LONGEST = 60_000  # milliseconds that a page may take

# Records when the rows were first painted, and the time from each input to the frame that shows its effect.
_WATCH = """
window.waits = [];
const after = (then) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = then;
  channel.port2.postMessage(0);
});
new MutationObserver(() => {
  if (window.shownAt === undefined && document.querySelector(window.shownMark)) {
    window.shownAt = null;
    after(() => { window.shownAt = performance.now(); });
  }
}).observe(document, {childList: true, subtree: true});
for (const kind of ["click", "keydown"]) addEventListener(kind, (event) => {
  const hash = location.hash;
  window.last = event; // an input that does not change the selection is ignored once the next input arrives
  const look = () => after(() => {
    if (window.last !== event) return;
    if (location.hash !== hash) window.waits.push(performance.now() - event.timeStamp);
    else look();
  });
  look();
}, true);
"""


def json_page(experiment: Experiment, page: bytes) -> bytes:
    """Return the page with all values in one JSON document, which is parsed before anything is shown.

    Args:
        experiment: The experiment that the page shows.
        page: The page of `autoanalyzer view`.
    """
    values = [experiment.exclusive(metric.name) for metric in experiment.metrics]
    rows = ",".join("[" + ",".join(np.char.mod("%.6g", each.ravel())) + "]" for each in values)
    names = [f"run {metric.name}" for metric in experiment.metrics]
    text = page.decode()
    start = text.index("const read = (key) => {")
    end = text.index("};", start) + 2
    read = f"""const all = JSON.parse(textOf("all"));
    const parsed = new Map({names}.map((name, place) => [name, Float64Array.from(all[place])]));
    const read = (key) => {{
      if (parsed.has(key)) return Promise.resolve(parsed.get(key));
      const {{ id, kind, count }} = head.numbers[key];
      return unpacked({{ kind, count }}, textOf(id));
    }};"""
    text = text[:start] + read + text[end:]
    text = text.replace('<meta http-equiv="Content-Security-Policy"', '<meta name="none"', 1)
    blocks = [at for at in range(len(names) + 1) if at != 0]
    for block in blocks:  # the JSON already contains these values
        begin = text.index(f'id="numbers-{block}">') + len(f'id="numbers-{block}">')
        text = text[:begin] + text[text.index("</script>", begin) :]
    return text.replace("<script>", f'<script type="application/json" id="all">[{rows}]</script>\n<script>', 1).encode()


def plotly_page(experiment: Experiment) -> bytes | None:
    """Return a plotly page with a heat map of each metric, the first of them visible; None without plotly."""
    try:
        import plotly.graph_objects as go  # noqa: PLC0415
    except ImportError:
        return None
    maps = [
        go.Heatmap(z=experiment.exclusive(metric.name), name=metric.name, visible=place == 0)
        for place, metric in enumerate(experiment.metrics)
    ]
    return go.Figure(maps).to_html(include_plotlyjs=True).encode()


def opened(browser: Browser, file: Path, mark: str) -> Page:
    """Open a page, and wait until an element that matches the CSS selector ``mark`` is shown.

    Raises:
        TimeoutError: Nothing was shown within a minute.
    """
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.add_init_script(f"window.shownMark = {mark!r};{_WATCH}")
    page.goto(file.as_uri(), timeout=_LONGEST)
    for _ in range(_LONGEST // 20):
        if page.evaluate("window.shownAt || 0"):
            return page
        page.wait_for_timeout(20)
    raise TimeoutError(file)


def figures(driver: object, file: Path, mark: str, *, select: bool) -> dict[str, float]:
    """Open a page once in a new browser; return times in ms and memory in MB, by name.

    Args:
        driver: Playwright.
        file: The page.
        mark: A CSS selector for the element that is shown last.
        select: Whether selections are measured, too.
    """
    browser = driver.chromium.launch(
        executable_path=_CHROMIUM, args=["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"]
    )
    page = opened(browser, file, mark)
    paints = page.evaluate("performance.getEntriesByType('paint').map((each) => each.startTime)")
    found = {"first paint": min(paints, default=float("nan")), "all shown": page.evaluate("window.shownAt")}
    if select:
        found["selection p95"] = statistics.quantiles(selections(page), n=20)[-1]
    page.evaluate("window.gc()")
    found["heap MB"] = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    browser.close()
    return found


def selections(page: Page) -> list[float]:
    """Select rows by mouse and keys in the three trees; return how long each selection took, in ms."""
    for tree in ("metrics", "program", "system"):
        rows = page.locator(f"#tree-{tree} .row:not(.folded)")
        for number in range(min(rows.count(), SELECTIONS // 4)):
            rows.nth(number).click(position={"x": 70, "y": 8})
            page.wait_for_timeout(60)
        for number in range(SELECTIONS // 4):
            page.keyboard.press("ArrowUp" if number % 5 else "Home")
            page.wait_for_timeout(60)
    return page.evaluate("window.waits")


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        for size in arguments.sizes:
            experiment = synthetic(*SIZES[size])
            large = size == "200M"  # four metrics; the other kinds of pages would have to contain all values
            for metric in experiment.metrics if not large else ():
                experiment.exclusive(metric.name)
            start = time.perf_counter()
            ours = page_html(page_of(Subject(experiment, Path("synthetic.cube"), None, "synthetic"), folders=None))
            made = time.perf_counter() - start
            pages = {"ours": ours}
            if not large:
                pages |= {"JSON": json_page(experiment, ours), "plotly": plotly_page(experiment)}
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
            print(f"{size} values ({experiment.size}); our page made in {made:.2f} s; peak memory so far {most:.1f} GB")
            report({name: page for name, page in pages.items() if page}, Path(folder), driver, arguments.repeat)


def report(pages: dict[str, bytes], folder: Path, driver: object, repeat: int) -> None:
    """Open all pages in each round, and print medians, and how long our page takes relative to each.

    Args:
        pages: Name → page.
        folder: The folder for the pages.
        driver: Playwright.
        repeat: The number of rounds.
    """
    marks = {"plotly": ".heatmaplayer image, .hm image"}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in pages}
    for name, page in pages.items():
        (folder / f"{name}.html").write_bytes(page)
    for _ in range(repeat):
        for name in pages:
            mark = marks.get(name, "#tree-system .row")
            found[name].append(figures(driver, folder / f"{name}.html", mark, select=name != "plotly"))
    titles = ("first paint", "all shown", "selection p95", "heap MB")
    print(f"{'page':<8}{'MB':>8}" + "".join(f"{title:>15}" for title in titles) + f"{'ours / it':>12}")
    medians = {
        name: {title: statistics.median(run.get(title, float("nan")) for run in runs) for title in titles}
        for name, runs in found.items()
    }
    for name, page in pages.items():
        row = "".join(f"{medians[name][title]:>15.0f}" for title in titles)
        ratio = medians["ours"]["all shown"] / medians[name]["all shown"]
        print(f"{name:<8}{len(page) / 1e6:>8.1f}{row}{ratio:>12.2f}")


if __name__ == "__main__":
    main()
