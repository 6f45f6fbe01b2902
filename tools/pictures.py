"""Make the pictures for docs/view.md, docs/time-lines.md and the README: screenshots of a small run's page.

    python tools/pictures.py

Needs Debian's chromium-headless-shell.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import load
from autoanalyzer.view.page import Recording, Subject, page_html, page_of

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "pictures"
RUNS = ("rays", "rays_dynamic")


def page(folder: Path, name: str, against: str | None = None, *, traced: bool = False) -> Path:
    """Write the page of a run from tests/data; return the page's file.

    Args:
        folder: The folder for pages.
        name: Name of the run.
        against: Name of the run to compare with, if any.
        traced: Whether to show the trace in tests/data, which comes from another run.
    """
    file = folder / f"{name}.cube.gz"
    if not file.exists():
        shutil.copyfile(ROOT / "tests" / "data" / file.name, file)
    experiment = load(file)
    other = (load(ROOT / "tests" / "data" / f"{against}.cube.gz"), against) if against else None
    target = folder / f"{name}-{against}-{traced}.html"
    subject = Subject(experiment, Path(f"{name}.cube.gz"), analyze(experiment))
    trace = ROOT / "tests" / "data" / f"{name}.trace.npz"
    recordings = [Recording(trace, "out", "the run")] if traced else []
    made = page_of(subject, against=other, folders=[ROOT / "samples" / "rays"], recordings=recordings)
    target.write_bytes(page_html(made))
    return target


def picture(
    browser: Browser, file: Path, name: str, *, size: tuple[int, int], scheme: str, keys: str, part: str = ""
) -> None:
    """Save a screenshot of a page, or of part of the page, after some key presses.

    Args:
        browser: The browser that shows the page.
        file: The page.
        name: Name of the picture.
        size: Width and height of the window in pixels.
        scheme: ``light`` or ``dark``.
        keys: Keys to press first, one per character.
        part: Selector of the part; empty for the window.
    """
    shown = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)  # type: ignore[arg-type]
    shown.goto(file.as_uri())
    shown.wait_for_selector("#tree-system .row")
    shown.wait_for_timeout(200)
    for key in keys:
        shown.keyboard.press(key)
        shown.wait_for_timeout(200)
    (shown.locator(part) if part else shown).screenshot(path=TARGET / f"{name}.png")
    shown.close()


def main() -> None:
    """Make all pictures."""
    TARGET.mkdir(exist_ok=True)
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        run = page(Path(folder), "rays")
        recorded = page(Path(folder), "rays", traced=True)
        compared = page(Path(folder), "rays_dynamic", "rays")
        picture(browser, run, "page", size=(1280, 940), scheme="light", keys="")
        picture(browser, run, "dark", size=(1280, 940), scheme="dark", keys="1", part="#panel")
        picture(browser, recorded, "time", size=(1280, 1000), scheme="light", keys="6", part="#panel")
        picture(browser, compared, "compare", size=(1280, 1100), scheme="light", keys="", part="#panel")
        browser.close()


if __name__ == "__main__":
    main()
