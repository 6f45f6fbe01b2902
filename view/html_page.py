"""One HTML file with pictures that asks nothing of the network.

What is drawn is data: a figure is a mapping as plotly.js takes it, ``{"data": […], "layout": {…}}``, of numbers, text
and numpy arrays. Names of others' choice go into it by ``shown``, for plotly takes ``<b>`` and ``<a>`` for markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

import orjson

from .place import visible

__all__ = ["COLOURS", "DIVERGING", "Figure", "Picture", "axis_of", "bars", "page", "picture_html", "shown"]

Figure = Mapping[str, Any]

# Told apart by those who do not see red or green as others do (Okabe and Ito).
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")

# From less over none to more.
DIVERGING: Final = ((0, "#2166ac"), (0.25, "#92c5de"), (0.5, "#f7f7f7"), (0.75, "#f4a582"), (1, "#b2182b"))

_LONGEST: Final = 24
_FULL: Final = 200  # where there is room: on hover

# Nothing is fetched, whatever a figure asks for.
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 75rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; }
h1, h2, p, td, th { overflow-wrap: anywhere; }
.about { color: #666; margin-top: 0; }
.figure { width: 100%; }
"""
_DRAW: Final = """
for (const place of document.querySelectorAll(".figure")) {
  const figure = JSON.parse(place.nextElementSibling.textContent);
  Plotly.newPlot(place, figure.data, figure.layout, {displaylogo: false, showSendToCloud: false, responsive: true});
}
"""
_LAYOUT: Final[Mapping[str, Any]] = {
    "font": {"family": "system-ui, sans-serif", "size": 13},
    "paper_bgcolor": "#fff",
    "plot_bgcolor": "#fff",
    "colorway": COLOURS,
    "hoverlabel": {"align": "left"},
    "margin": {"l": 70, "r": 30, "t": 30, "b": 60},
}


@dataclass(frozen=True)
class Picture:
    """A figure and what it tells.

    Attributes:
        title: What is seen.
        figure: As plotly.js takes it.
        sentences: What a reader should take from it; plain text.
    """

    title: str
    figure: Figure
    sentences: Sequence[str] = field(default=())


def page(title: str, pictures: Sequence[Picture], *, about: str = "") -> bytes:
    """Make a page of pictures, whole in itself: plotly.js is part of it.

    Args:
        title: Of the page.
        pictures: From top to bottom.
        about: A line below the title.
    """
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - where it is used

    body = "\n".join(map(picture_html, pictures))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{_text(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{_text(title)}</h1>
<p class="about">{_text(about)}</p>
{body}
<script>{get_plotlyjs()}</script>
<script>{_DRAW}</script>
</body>
</html>
""".encode()


def picture_html(picture: Picture) -> str:
    """Give a section of a page: title, sentences, and the figure's data beside the place where it is drawn."""
    figure = {**picture.figure, "layout": {**_LAYOUT, **picture.figure.get("layout", {})}}
    data = orjson.dumps(figure, default=_plain).decode().replace("<", "\\u003c")
    sentences = "".join(f"<p>{_text(each)}</p>\n" for each in picture.sentences)
    height = int(figure["layout"].get("height", 450))
    return f"""<section>
<h2>{_text(picture.title)}</h2>
{sentences}<div class="figure" style="height: {height}px"></div><script type="application/json">{data}</script>
</section>"""


def axis_of(names: Sequence[str], *, across: bool = False) -> dict[str, Any]:
    """Give an axis with a name at each number from 0 on; from top to bottom, or ``across``."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [shown(name) for name in names],
        "automargin": True,
        **({"tickangle": 40} if across else {"range": [len(names) - 0.5, -0.5]}),
    }


def bars(names: Sequence[str], title: str, *traces: Figure, scale: str = "linear") -> Figure:
    """Give a figure with a bar to the right for each name, from top to bottom; of several traces, side by side."""
    full = [shown(name, _FULL) for name in names]
    hover = "%{customdata}: %{x:.4g}<extra>%{fullData.name}</extra>"
    rows = {"type": "bar", "orientation": "h", "y": list(range(len(names))), "customdata": full, "hovertemplate": hover}
    axes = {"xaxis": {"type": scale, "title": {"text": title}}, "yaxis": axis_of(names)}
    return {"data": [{**rows, **each} for each in traces], "layout": {"height": 160 + 26 * len(names), **axes}}


def shown(name: object, longest: int = _LONGEST) -> str:
    """Give a name as text for a figure: nothing in it is markup, and a long one loses its middle."""
    text = visible(str(name))
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-(longest // 2 - 1) :]}"
    return escape(text, quote=False).replace("$", "&#36;")  # else it is taken for TeX


def _plain(array: Any) -> Any:
    return array.tolist()


def _text(text: str) -> str:
    return escape(visible(text))
