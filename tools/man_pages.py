"""Make man pages from the documentation: one for each page in docs/commands, and ``autoanalyzer.1``.

The pages are made when the package is built, and by ``python tools/man_pages.py FOLDER``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

__all__ = ["man_pages", "write_man_pages"]

ROOT: Final = Path(__file__).resolve().parents[1]

_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
_ESCAPES: Final = {"\\": r"\e", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
_CODE_ESCAPES: Final = _ESCAPES | {"-": r"\-", "'": r"\(aq", ",": r",\:"}  # a list of values may break after a comma
_REFERENCE: Final = {"Environment variables": "ENVIRONMENT", "Exit codes": "EXIT STATUS"}
"""Sections of docs/reference.md that apply to all commands → their titles in man pages."""


def write_man_pages(folder: Path) -> list[Path]:
    """Write all pages to a folder; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = man_pages()
    for name, text in pages.items():
        (folder / f"{name}.1").write_text(text, encoding="utf-8")
    return [folder / f"{name}.1" for name in pages]


def man_pages() -> dict[str, str]:
    """Map the file name of each man page to its text in roff."""
    documents = [_blocks(file) for file in sorted((ROOT / "docs" / "commands").glob("*.md"))]
    pages = {"autoanalyzer": _overview(documents)}
    for blocks in documents:
        first, *others = _names(blocks)
        pages[first] = _page(first, _command(blocks))
        pages |= dict.fromkeys(others, f".so man1/{first}.1\n")
    return pages


def _blocks(file: Path) -> list[SyntaxTreeNode]:
    return SyntaxTreeNode(_MARKDOWN.parse(file.read_text(encoding="utf-8"))).children


def _names(blocks: Sequence[SyntaxTreeNode]) -> list[str]:
    """Return the man pages' names for the commands in a page's title: ``autoanalyzer-cut`` for ``autoanalyzer cut``."""
    return [name.replace(" ", "-") for name in _plain(blocks[0]).split(", ")]


def _page(name: str, lines: Iterable[str]) -> str:
    text = "\n".join(
        [r"'\" -*- coding: utf-8 -*-", f'.TH {name.upper()} 1 "" autoanalyzer', ".nh", ".ad l", *lines, ""]
    )
    return re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", text, flags=re.M)  # a title already begins a paragraph


def _overview(documents: Iterable[Sequence[SyntaxTreeNode]]) -> str:
    readme = _blocks(ROOT / "README.md")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [".SH NAME", rf"autoanalyzer \- {_escaped(_uncapitalized(project['description']))}"]
    lines += [".SH SYNOPSIS", r"\fBautoanalyzer\fR \fICOMMAND\fR [\fIARGUMENT\fR ...]"]
    lines += [".SH DESCRIPTION", *_block(readme[1]), ".SH COMMANDS"]
    for blocks in documents:
        lines += [".TP", ", ".join(rf"\fB{_code(name)}\fR(1)" for name in _names(blocks)), _escaped(_summary(blocks))]
    shown = ""
    for block in _blocks(ROOT / "docs" / "reference.md"):
        if block.type == "heading":
            shown = _REFERENCE.get(_plain(block), "")
            lines += [f".SH {shown}"] if shown else []
        elif shown:
            lines += _block(block)
    return _page("autoanalyzer", lines)


def _command(blocks: Sequence[SyntaxTreeNode]) -> list[str]:
    """Return the roff lines of a command's page, whose first code block is the synopsis."""
    call = next(block for block in blocks if block.type == "fence")
    names = ", ".join(map(_code, _names(blocks)))
    lines = [".SH NAME", rf"{names} \- {_escaped(_summary(blocks))}", ".SH SYNOPSIS", *_synopsis(call.content)]
    lines += [".SH DESCRIPTION"]
    for block in blocks[1:]:
        if block is not call:
            lines += _block(block)
    return [*lines, ".SH SEE ALSO", r"\fBautoanalyzer\fR(1)"]


def _synopsis(text: str) -> list[str]:
    """Return the roff lines of a synopsis; a narrow terminal may break them where the text has line breaks."""
    calls = re.sub(r"\n +", " ", text.strip()).split("\n")
    return [line for call in calls for line in (_code(call), ".br")][:-1]


def _summary(blocks: Sequence[SyntaxTreeNode]) -> str:
    """Return the first sentence below the title, in the form of man pages."""
    return _uncapitalized(re.split(r"(?<=\w)\.(?:\s|$)", _plain(blocks[1]))[0])


def _uncapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]


def _plain(node: SyntaxTreeNode) -> str:
    return "".join(each.content or " " for each in node.walk() if each.type in ("text", "code_inline", "softbreak"))


def _block(node: SyntaxTreeNode) -> list[str]:
    if node.type == "heading":
        title = _escaped(_plain(node))
        return [f".SH {title.upper()}"] if node.tag <= "h2" else [f".SS {title}"]
    if node.type == "paragraph":
        return [".PP", _text(node)]
    if node.type == "fence":
        return [".PP", ".RS 4", ".EX", *map(_code_line, node.content.rstrip("\n").split("\n")), ".EE", ".RE"]
    if node.type == "table":
        return _table(node)
    if node.type in ("bullet_list", "ordered_list"):
        first = int(node.attrs.get("start", 1))
        marks = [
            f"{first + place}. 4" if node.type == "ordered_list" else r"\(bu 2" for place in range(len(node.children))
        ]
        return [line for item, mark in zip(node.children, marks, strict=True) for line in _item(item, mark)]
    raise ValueError(f"man pages do not support {node.type}: {_plain(node)[:60]}")


def _item(node: SyntaxTreeNode, mark: str) -> list[str]:
    first, *rest = node.children
    return [f".IP {mark}", _text(first), *(line for block in rest for line in [".RS", *_block(block), ".RE"])]


def _table(node: SyntaxTreeNode) -> list[str]:
    """Return a table as a list of items, named by the first column; several other columns are named by their titles."""
    head, body = node.children
    titles = [_text(cell) for cell in head.children[0].children]
    lines = []
    for row in body.children:
        name, *cells = [_text(cell) for cell in row.children]
        lines += [".TP", name or r"\&"]
        for title, cell in zip(titles[1:], cells, strict=True):
            told = [rf"\fI{title}\fR: {cell}" if title and len(cells) > 1 else cell]
            lines += [*told, ".br"] if cell else []
        lines = lines[:-1] if lines[-1] == ".br" else lines
    return lines


def _text(node: SyntaxTreeNode) -> str:
    """Return a block's text as one line, escaped if it begins like a roff request."""
    line = "".join(map(_inline, node.children[0].children if node.children else []))
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _inline(node: SyntaxTreeNode) -> str:
    if node.type == "text":
        return _escaped(node.content)
    if node.type == "code_inline":
        return rf"\fB{_code(node.content)}\fR"
    if node.type == "softbreak":
        return " "
    inner = "".join(map(_inline, node.children))
    if node.type in ("strong", "em"):
        return rf"\fB{inner}\fR" if node.type == "strong" else rf"\fI{inner}\fR"
    if node.type == "link":
        return _link(inner, str(node.attrs["href"]), _plain(node))
    raise ValueError(f"man pages do not support {node.type}: {node.content}")


def _link(inner: str, target: str, text: str) -> str:
    """Return the text of a link to another command's page; other documents have no man pages."""
    if "//" in target:
        return f"{inner} <{_escaped(target)}>"
    path = target.partition("#")[0]
    if not path or "/" in path.removeprefix("commands/"):
        return inner
    file = ROOT / "docs" / "commands" / Path(path).name
    if not file.exists():
        return inner
    page = rf"\fB{_code(_names(_blocks(file))[0])}\fR(1)"
    return page if text == file.stem else f"{inner} ({page})"


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _code(text: str) -> str:
    return "".join(_CODE_ESCAPES.get(character, character) for character in text)


def _code_line(text: str) -> str:
    return rf"\&{_code(text)}" if text.startswith((".", "'")) else _code(text)


if __name__ == "__main__":
    write_man_pages(Path(sys.argv[1]))
