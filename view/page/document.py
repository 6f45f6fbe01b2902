"""Write the page as one HTML file, which needs no network; its verdict is readable without JavaScript."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, Final

import orjson

from .. import marks
from ..advice import tries
from ..place import visible
from ..source_file import SourceFile
from ..units import many
from ..verdict import Entry
from .dataset import Dataset
from .packing import ROUNDING, packed_text
from .time_lines import TimeLines
from .time_strip import time_strip

__all__ = ["Page", "page_html"]

_NUMBER: Final = re.compile(r"[0-9][0-9.]*-[0-9][0-9.]*,?|[0-9.e]+ (?:%|[mun]?s|[kMGT]?B)(?![a-z])")
_HERE: Final = files(__package__)
_STYLES: Final = ((_HERE, "page.css"), (files(marks), "marks.css"))
_CHARTS: Final = "charts"  # name of the script and the styles for time lines


@dataclass(frozen=True)
class Page:
    """The contents of a page.

    Attributes:
        title: Title of the window.
        headline: The first line of the verdict.
        about: Lines about the command, date, machine and file.
        findings: Findings of the verdict, in order.
        efficiency: HTML of the efficiency and its factors; may be empty.
        picture: HTML of a picture of the first finding; may be empty.
        verdict: Other lines of the verdict.
        caveats: Warnings and explanations.
        incomplete: Whether ranks are missing or did not finish; the warnings are then unfolded at the start.
        experiments: The experiment, and its difference from another one; empty if the page only shows a result.
        clusters: Indices of the locations of each cluster.
        sources: The source files.
        other: Name and metrics of another experiment that can serve as the base of percentages.
        basis: A sentence that explains the values in the trees.
        counters: HTML of statistics; may be empty.
        account: HTML of the account; may be empty.
        tab: The tab that is open at the start; empty for the default.
        times: Traces of the run; if there are none, the script for charts is left out.
    """

    title: str
    headline: str
    about: Sequence[str]
    findings: Sequence[Entry] = ()
    efficiency: str = ""
    picture: str = ""
    verdict: Sequence[str] = ()
    caveats: Sequence[str] = ()
    incomplete: bool = False
    experiments: Sequence[Dataset] = ()
    clusters: Sequence[Sequence[int]] = ()
    sources: Sequence[SourceFile] = ()
    other: Mapping[str, Any] | None = None
    basis: str = ""
    counters: str = ""
    account: str = ""
    tab: str = ""
    times: Sequence[TimeLines] = ()


def page_html(page: Page) -> bytes:
    """Return a page as HTML; equal contents give equal bytes."""
    styles = [*_STYLES, *([(_HERE, f"{_CHARTS}.css")] if page.times else [])]
    style = "".join(folder.joinpath(name).read_text("utf-8") for folder, name in styles)
    has_script = page.experiments or page.counters
    names = [*([f"{_CHARTS}.js"] if page.times else []), *(["page.js"] if has_script else [])]
    scripts = [_HERE.joinpath(name).read_text("utf-8") for name in names]
    allowed = " ".join(f"'{_hash(each)}'" for each in scripts) or "'none'"
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {allowed}",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
    held: list[Dataset | TimeLines] = [*page.experiments, *page.times]
    numbers = [(key, each) for part in held for key, each in part.numbers.items()]
    ids = {key: f"numbers-{place}" for place, (key, _) in enumerate(numbers)}
    head = {
        "experiments": [each.head for each in page.experiments],
        "numbers": {key: {"id": ids[key], "kind": each.kind, "count": each.count} for key, each in numbers},
        "clusters": page.clusters,
        "findings": [*map(_highlight, page.findings)],
        "sources": {
            visible(each.name): {"lines": each.lines or None, "warning": each.warning or None} for each in page.sources
        },
        "other": page.other,
        "basis": page.basis,
        "tab": page.tab or None,
        "times": [each.head for each in page.times],
    }
    blocks = [("head", packed_text(orjson.dumps(head))), *((ids[key], each.text) for key, each in numbers)]
    data = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in blocks)
    body, code = page.counters, "\n".join(f"<script>{each}</script>" for each in scripts)
    last = code
    if page.experiments:
        made = {"counters": page.counters, "account": page.account}
        hidden = "".join(f'<div><div id="{name}" hidden>{part}</div></div>' for name, part in made.items() if part)
        body = f"""<div id="app"><noscript><p class="remark">The trees need JavaScript.</p></noscript></div>
<div>{hidden}</div>
<p class="remark">{_text(_digits(page.experiments))}</p>"""
        last = f"{data}\n{code}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="autoanalyzer">
<link rel="icon" href="data:,">
<title>{_text(page.title)}</title>
<style>{style}</style>
</head>
<body>
<header>
{_verdict(page)}
</header>
<main>
{body}
</main>
{last}
</body>
</html>
""".encode("utf-8", "replace")


def _verdict(page: Page) -> str:
    """Return the verdict as HTML that is readable without JavaScript."""
    of_what = "difference" if any(each.head["difference"] for each in page.experiments[:1]) else "run"
    notes = f"{many(len(page.caveats), 'note')} on this {of_what}"
    findings = "".join(_finding(number, each, page.picture) for number, each in enumerate(page.findings, start=1))
    return "\n".join(
        (
            f"<h1>{_unbroken(_text(page.headline))}</h1>",
            page.efficiency,
            *(f'<p class="verdict{is_compared}">{_unbroken(_text(line))}</p>' for line, is_compared in _lines(page)),
            f'<ol class="findings">{findings}</ol>' if findings else "",
            time_strip(page.times[0]) if page.times else "",
            _folded(notes, _list("caveats", page.caveats), page.incomplete),
            f'<p class="about">{" · ".join(map(_text, page.about))}</p>',
        )
    )


def _lines(page: Page) -> Iterable[tuple[str, str]]:
    """Yield the other lines of the verdict, each with an additional CSS class, which may be empty."""
    for number, line in enumerate(page.verdict):
        yield line, " compared" if page.other and not number else ""


def _highlight(finding: Entry) -> dict[str, Any]:
    """Return the metric, call path and locations that the script selects for a finding, as JSON data."""
    highlight = finding.highlight
    return {
        "title": visible(f"{finding.kind} {finding.where}"),
        "metric": highlight.metric,
        "withoutParts": highlight.without_parts,
        "path": highlight.path,
        "locations": highlight.locations,
        "advice": [
            {"text": text, "places": [_place(each) for each in advice.places]}
            for text, advice in zip(tries(finding.advice, whole=True), finding.advice, strict=True)
        ],
    }


def _place(place: str) -> tuple[str, int]:
    """Return the file and line of a place such as ``rays.c:41``."""
    file, _, line = place.rpartition(":")
    return visible(file), int(line)


def _finding(number: int, finding: Entry, picture: str) -> str:
    """Return a finding as HTML: its kind and place, which are a link to the trees, and its text.

    Only the first finding is unfolded and has a picture.
    """
    name = finding.kind.strip("?").lower().replace("/", "").replace(" ", "-")
    badge = f'<span class="kind {_text(name)}">{_text(finding.kind)}</span>'
    saving = f'<p class="saving">{_unbroken(_text(finding.saving))}</p>' if finding.saving else ""
    ranks, lines = _paragraphs(finding.lines[:1]), _paragraphs([*finding.lines[1:], *finding.more])
    place, title = (finding.place, finding.what) if finding.place else (finding.what, "")
    name = f'<a href="#n={number}">{badge} <span class="place">{_text(place)}</span></a> <span>{_text(title)}</span>'
    if number > 1:
        return f"<li>{name}{saving}{_folded(f'more: {place}', ranks + lines)}</li>\n"
    return f'<li class="first"><div>{name}{saving}{ranks}</div>{picture}<div>{lines}</div></li>\n'


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p{_of_kind(line)}>{_unbroken(_text(line))}</p>" for line in lines if line)


def _folded(title: str, body: str, is_open: bool = False) -> str:
    """Return HTML that a reader can fold and unfold by its title; empty if ``body`` is empty."""
    return f"<details{' open' if is_open else ''}><summary>{_text(title)}</summary>{body}</details>" if body else ""


def _of_kind(line: str) -> str:
    return ' class="try"' if line.startswith("try") else ""


def _unbroken(text: str) -> str:
    """Return HTML without line breaks in ranges of numbers, and between numbers and units."""
    return _NUMBER.sub(r'<span class="whole">\g<0></span>', text)


def _list(name: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_text(line)}</li>" for line in lines)
    return f'<ul class="{name}">{items}</ul>' if items else ""


def _digits(datasets: Sequence[Dataset]) -> str:
    if large := [each.head["large"] for each in datasets if "large" in each.head]:
        noun, names, count = large[0]["noun"], ", ".join(large[0]["metrics"]), len(large[0]["bins"]) - 1
        single = f", and of single {noun}s on the findings' call paths" if large[0]["paths"] else ""
        return (
            "This experiment has too many values for a page. The page has exact sums, and the minimum, mean and"
            f" maximum over all {noun}s, by metric and call path; for {names}, also values of {count} ranges of {noun}s"
            f"{single}."
            " To see all values of a part of the run, extract this part with autoanalyzer cut --ranks, --subtree or"
            " --metrics."
        )
    if all(each.exact for each in datasets):
        return "This page contains all numbers, with all digits."
    return f"Values of single locations are rounded by at most {ROUNDING:.2%}. Sums over the locations are exact."


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _text(text: str) -> str:
    return escape(visible(text))
