"""Open pages in a real browser, and read what they show."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
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

# Clicking with the mouse takes Playwright three times the CPU time of this click, which has the same effect in the
# page.
_CLICK = f"""async ([selector, place]) => {{
  const found = document.querySelectorAll(selector)[place];
  if (!found?.checkVisibility() || found.disabled) return false;
  found.focus();
  found.click();
  await ({_SETTLED})();
  return true;
}}"""

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
    """An open page; ``complaints`` are its console messages, errors, pop-ups, downloads, and requests to servers."""

    page: Page
    file: Path
    complaints: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Wait until the page is no longer busy, and everything is drawn."""
        self.page.evaluate(_SETTLED)

    def go(self, fragment: str) -> None:
        """Follow a link within the page."""
        self.page.evaluate(_FOLLOW, fragment)
        self.settle()

    def click(self, selector: str, place: int = 0) -> bool:
        """Click an element without the mouse; return whether it exists, is visible, and is enabled.

        Args:
            selector: Selector of elements.
            place: Which of the elements to click, from 0.
        """
        return bool(self.page.evaluate(_CLICK, [selector, place]))

    def tab(self, name: str) -> None:
        """Open or close a tab."""
        assert self.click(f"#tab-{name}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    def copied(self, kind: str, within: str = "#panel") -> str:
        """Copy a table as CSV, or a picture as SVG, and return the text.

        Args:
            kind: The button's name, ``CSV`` or ``SVG``.
            within: Selector of the part of the page with the button.
        """
        self._copy(kind, within)
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def copied_rows(self, within: str = "#panel") -> list[list[str]]:
        return [*csv.reader(io.StringIO(self.copied("CSV", within)))]

    def copied_picture(self, *places: tuple[float, float], within: str = "#panel") -> tuple[int, list[str]]:
        """Copy a picture as PNG; return its number of colours, and its colours at places.

        Args:
            places: Places as shares of the picture's width and height.
            within: Selector of the part of the page with the button.
        """
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
        """Return the contents of the rows in each tree."""
        found: dict[str, list[dict[str, Any]]] = self.page.evaluate(_ROWS)
        return found

    def selected(self) -> dict[str, list[str]]:
        """Return the labels of the selected rows in each tree."""
        return {name: [row["label"] for row in rows if row["selected"]] for name, rows in self.rows().items()}


Show = Callable[..., Shown]


Idle = dict[str, list[Shown]]


@pytest.fixture(scope="session")
def idle(chromium: Browser) -> Idle:
    """Return the pages that no test uses, by the options for which they were made; each new page starts a process."""
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


class Written:
    """The pages of experiments that all tests share, each written once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pages: dict[str, bytes] = {}

    def of(self, experiment: Experiment, of_page: Mapping[str, Any], shared: Mapping[str, Experiment]) -> bytes | None:
        """Return the page of an experiment; None unless ``shared`` and simple values determine it."""
        key = _key([experiment, dict(of_page)], {id(each): name for name, each in shared.items()})
        if key is not None and key not in self._pages:
            subject = subject_of(experiment, self._folder / "experiment.cube")
            self._pages[key] = page_html(page_of(subject, **of_page))
        return None if key is None else self._pages[key]


def _key(value: Any, names: Mapping[int, str]) -> str | None:
    """Return a text that is the same for equal values only; None if a value is neither shared nor simple."""
    if id(value) in names:
        return f"shared {names[id(value)]!r}"
    if value is None or isinstance(value, str | int | float | Path):
        return repr(value)
    if not isinstance(value, list | tuple | dict):
        return None
    keys = [_key(each, names) for each in (value.items() if isinstance(value, dict) else value)]
    return None if None in keys else f"{type(value).__name__} {keys}"


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("written") / "project" / "run"  # as deep as a test's own
    folder.mkdir(parents=True)
    return Written(folder)


@pytest.fixture
def show(
    chromium: Browser, idle: Idle, written: Written, request: pytest.FixtureRequest, tmp_path: Path
) -> Generator[Show, None, None]:
    """Return a function that opens the page of an experiment, or a file.

    Its argument ``of_page`` has arguments for ``page_of``; further ones are the browser's options.
    """
    opened: list[tuple[Shown, list[Shown]]] = []
    # A test that changes the pages' inputs, or writes files beside an experiment, has its own pages.
    has_own = not {"monkeypatch", "tmp_path"}.isdisjoint(signature(request.function).parameters)
    shared = {} if has_own or "experiments" not in request.fixturenames else request.getfixturevalue("experiments")

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
            page = written.of(experiment, of_page or {}, shared)
            if page is None:
                page = page_html(page_of(subject_of(experiment, tmp_path / "experiment.cube"), **(of_page or {})))
            file.write_bytes(page)
        alike = idle[repr(sorted(options.items()))]
        found = alike.pop() if alike else _made(chromium, options)
        opened.append((found, alike))
        found.page.set_viewport_size({"width": size[0], "height": size[1]})
        found.page.emulate_media(color_scheme=color_scheme)
        found.file = file
        found.complaints.clear()
        found.page.goto(file.as_uri() + fragment)
        if options.get("java_script_enabled", True):
            found.page.wait_for_selector("#tree-system .row")
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
    """Return the accessibility rules of axe that a page breaks, each with at most three elements that break it.

    The page must allow scripts.

    Args:
        page: The page.
        within: Selectors of the parts to check; None: the whole page.
        colours: Whether to check the contrast of colours, the only rule that depends on the colour scheme.
        all_else: Whether to check the other rules.
    """
    from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe  # noqa: PLC0415 - with playwright

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {**DEFAULT_OPTIONS, "rules": {"color-contrast": {"enabled": colours}}}
    if not all_else:
        options = {**DEFAULT_OPTIONS, "runOnly": ["color-contrast"]}
    found = page.evaluate("([within, options]) => axe.run(within ?? document, options)", [within, options])
    return [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found["violations"]]
