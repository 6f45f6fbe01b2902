"""Pages in a real browser."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from autoanalyzer.cli.pages import subject_of
from autoanalyzer.experiment import Experiment
from autoanalyzer.view.page import page_html, page_of

from ...conftest import patient_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DIMENSIONS = ("metrics", "program", "system")
SAMPLES = Path(__file__).parents[3] / "samples"

_ROWS = """() => Object.fromEntries(['metrics', 'program', 'system'].map((name) => [name,
  [...document.querySelectorAll(`#tree-${name} .row`)].map((row) => ({
    value: row.querySelector('.value').textContent,
    label: row.querySelector('.name').lastChild.textContent,
    selected: row.getAttribute('aria-selected') === 'true',
    state: row.classList[1],
    relief: row.querySelector('.square').classList[1],
    hatched: row.querySelector('.square').classList.contains('hatched'),
  }))]))"""
_SETTLED = """async () => {
  while (document.body.hasAttribute('aria-busy'))
    await new Promise((then) => setTimeout(then, 5));
  for (let time = 0; time < 2; time++)
    await new Promise((then) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(then))));
}"""

_FOLLOW = """async (fragment) => {
  const before = location.hash;
  location.hash = fragment;
  if (location.hash !== before)
    await new Promise((then) => addEventListener('hashchange', then, {once: true}));
}"""

_PICTURE = """async (places) => {
  const [copied] = await navigator.clipboard.read();
  const image = await createImageBitmap(await copied.getType("image/png"));
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.drawImage(image, 0, 0);
  const pixel = (x, y) => context.getImageData(x * image.width, y * image.height, 1, 1).data.slice(0, 3);
  const at = (x, y) => `rgb(${pixel(x, y).join(" ")})`;
  const every = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  return {colours: new Set(every).size, at: places.map(([x, y]) => at(x, y))};
}"""


@dataclass
class Shown:
    """A page that is open, and what it complained of, or asked for."""

    page: Page
    file: Path
    complaints: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.page.evaluate(_SETTLED)

    def go(self, fragment: str) -> None:
        """Follow a link within the page."""
        self.page.evaluate(_FOLLOW, fragment)
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    def copied(self, kind: str, within: str = "#panel") -> str:
        """Copy a table as CSV, or a picture as SVG, and return the text."""
        self._copy(kind, within)
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def copied_rows(self, within: str = "#panel") -> list[list[str]]:
        return [*csv.reader(io.StringIO(self.copied("CSV", within)))]

    def copied_picture(self, *places: tuple[float, float], within: str = "#panel") -> tuple[int, list[str]]:
        """Copy a picture as PNG, and return its number of colours, and the colours at places given as shares of it."""
        self._copy("PNG", within)
        found = self.page.evaluate(_PICTURE, places)
        return found["colours"], found["at"]

    def _copy(self, kind: str, within: str) -> None:
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.bring_to_front()  # only the page in front may copy
        self.page.click(f"{within} .copies button:text-is('{kind}')")
        said = self.page.wait_for_selector(f"{within} .copies [role=status]:text-matches('{kind}|copies')")
        assert said is not None
        assert said.inner_text() == f"{kind} copied"

    def tall(self) -> None:
        """Enlarge the trees so that all rows are visible."""
        self.page.evaluate(
            "() => document.querySelectorAll('.pane').forEach((pane) => { pane.style.height = '6000px'; })"
        )
        self.settle()

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the contents of the rows of each tree."""
        found: dict[str, list[dict[str, Any]]] = self.page.evaluate(_ROWS)
        return found

    def selected(self) -> dict[str, list[str]]:
        """Name what is selected in each tree."""
        return {name: [row["label"] for row in rows if row["selected"]] for name, rows in self.rows().items()}


Show = Callable[..., Shown]


Idle = dict[str, list[Shown]]


@pytest.fixture(scope="session")
def idle(chromium: Browser) -> Idle:
    """Keep pages that no test has open, by what is chosen when they are made: a new one has a process of its own."""
    return defaultdict(list)


def _made(chromium: Browser, options: Mapping[str, Any]) -> Shown:
    page = patient_page(chromium, **options)
    found = Shown(page, Path())
    page.on("console", lambda said: found.complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("popup", lambda _: found.complaints.append("popup"))
    page.on("download", lambda _: found.complaints.append("download"))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith("file:") else found.complaints.append(f"request: {asked.url[:80]}"),
    )
    return found


@pytest.fixture
def show(chromium: Browser, idle: Idle, tmp_path: Path) -> Generator[Show, None, None]:
    """Open the page of an experiment; keywords are those of the browser, and of ``page_of``."""
    opened: list[tuple[Shown, list[Shown]]] = []

    def shown(
        experiment: Experiment,
        fragment: str = "#e=run",  # the whole run, not the first finding
        *,
        of_page: Mapping[str, Any] | None = None,
        file: Path | None = None,
        size: tuple[int, int] = (1400, 1000),
        color_scheme: Literal["light", "dark"] = "light",
        **options: Any,
    ) -> Shown:
        if file is None:
            file = tmp_path / f"{len(opened)}.html"
            subject = subject_of(experiment, tmp_path / "experiment.cube")
            file.write_bytes(page_html(page_of(subject, **(of_page or {}))))
        alike = idle[repr(sorted(options.items()))]
        found = alike.pop() if alike else _made(chromium, options)
        opened.append((found, alike))
        page = found.page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=color_scheme)
        found.file = file
        found.complaints.clear()
        page.goto(file.as_uri() + fragment)
        if options.get("java_script_enabled", True):
            page.wait_for_selector("#tree-system .row")
            found.settle()
        return found

    yield shown
    for each, alike in opened:
        each.page.goto("about:blank")
        each.page.mouse.move(0, 0)
        alike.append(each)


def faults(
    page: Page, within: Sequence[Sequence[str]] | None = None, *, colours: bool = True, all_else: bool = True
) -> list[tuple[str, list[str]]]:
    """Return the rules of axe that a page breaks, each with the first elements at fault; scripts are allowed for it.

    Colours are one rule, and the only one that another scheme can break.
    """
    from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe  # noqa: PLC0415 - with playwright

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {**DEFAULT_OPTIONS, "rules": {"color-contrast": {"enabled": colours}}}
    if not all_else:
        options = {**DEFAULT_OPTIONS, "runOnly": ["color-contrast"]}
    found = page.evaluate("([within, options]) => axe.run(within ?? document, options)", [within, options])
    return [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found["violations"]]
