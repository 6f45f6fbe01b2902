"""Man pages contain the whole documentation of the commands."""

import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from autoanalyzer.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted((ROOT / "docs" / "commands").glob("*.md"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    subprocess.run([sys.executable, ROOT / "tools" / "man_pages.py", folder], check=True)
    return folder


def mandoc(*words: str | Path) -> str:
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    return subprocess.run(["mandoc", *words], capture_output=True, text=True, check=False).stdout


def read(page: Path) -> str:
    """Return the rendered text of a page without white space, because line breaks do not matter."""
    shown = re.sub(".\b", "", mandoc("-Tutf8", page))
    return "".join(shown.split())


def said(document: Path) -> list[str]:
    """Return all paragraphs, cells and code except headings and text with links, whose page names differ."""
    tokens = MarkdownIt("commonmark").enable("table").parse(document.read_text())
    blocks = [token for token in tokens if token.type == "fence"]
    for before, token in pairwise(tokens):
        if token.type == "inline" and before.type not in ("heading_open", "th_open"):
            blocks += [] if any(child.type == "link_open" for child in token.children or ()) else [token]
    texts = [
        "".join(child.content or " " for child in block.children) if block.children else block.content
        for block in blocks
    ]
    return ["".join(text.split()) for text in texts]


def test_every_command_has_a_page(pages: Path) -> None:
    expected = {"autoanalyzer", "aa-mpicc", "aa-mpicxx", "aa-mpifort", *(f"autoanalyzer-{name}" for name in COMMANDS)}
    assert {page.stem for page in pages.iterdir()} == expected
    assert (pages / "aa-mpifort.1").read_text() == ".so man1/aa-mpicc.1\n"


def test_pages_are_well_formed(pages: Path) -> None:
    whole = [page for page in pages.iterdir() if "\n.TH " in page.read_text()]
    assert len(whole) == len(DOCUMENTS) + 1
    complaints = mandoc("-Tlint", "-Wwarning", *whole).splitlines()
    assert [line for line in complaints if "missing date" not in line] == []  # without dates, two builds are equal


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_a_page_says_all_that_the_document_says(pages: Path, document: Path) -> None:
    name = document.stem if document.stem == "aa-mpicc" else f"autoanalyzer-{document.stem}"
    shown = read(pages / f"{name}.1")
    assert [text for text in said(document) if text not in shown] == []


def test_items_have_the_numbers_of_the_document(tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml", "tools/man_pages.py", "docs/reference.md", "docs/commands/info.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    with (tmp_path / "docs/commands/info.md").open("a") as stream:
        stream.write("\n9. Open it\n10. Look\n\n- Close it\n")
    subprocess.run([sys.executable, tmp_path / "tools/man_pages.py", tmp_path / "man"], check=True)
    assert "9.Openit10.Look\u2022Closeit" in read(tmp_path / "man/autoanalyzer-info.1")


def test_the_first_page_names_all_others_and_what_all_commands_share(pages: Path) -> None:
    shown = read(pages / "autoanalyzer.1")
    assert all(f"autoanalyzer-{name}(1)" in shown for name in COMMANDS)
    assert "AUTOANALYZER_CACHE" in shown
    assert "EXITSTATUS" in shown
