from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from autoanalyzer.view.html_page import Picture, page, shown

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<b>bold</b> & <a href='https://example.org'>link</a>",
    """it's "quoted" `so`""",
    "$x^2$ %{y} {{ z }}",
    "שלום \u202eevil",
    "<!--<script>",
]


def _picture(names: list[str]) -> Picture:
    bars = {"type": "bar", "x": [shown(name, 100) for name in names], "y": np.arange(1.0, len(names) + 1)}
    figure = {"data": [bars], "layout": {"xaxis": {"type": "category", "title": {"text": shown(names[0], 100)}}}}
    return Picture(names[0], figure, names)


def test_hostile_names_are_shown_as_text(browse, tmp_path: Path):
    file = tmp_path / "page.html"
    names = " | ".join(HOSTILE)
    file.write_bytes(page(names, [_picture([name, "plain"]) for name in HOSTILE], about=names))
    seen = browse(file)
    assert (seen.complaints, seen.requests, seen.pictures) == ([], [], len(HOSTILE))
    for name in HOSTILE:
        text = name.replace("\u202e", "\ufffd")
        assert seen.text.count(text) >= 4
        assert [each for each in seen.drawn if each == text] == [text, text]


def test_a_long_name_loses_its_middle():
    assert shown("a" * 100 + "b" * 100) == "a" * 12 + "…" + "b" * 11


def test_a_page_asks_nothing_of_the_network_and_offers_no_upload_even_if_a_figure_asks(browse, tmp_path: Path):
    picture = _picture(["a", "b"])
    picture.figure["layout"]["images"] = [{"source": "https://example.org/x.png", "x": 0, "y": 1}]
    file = tmp_path / "page.html"
    file.write_bytes(page("t", [picture]))
    seen = browse(file)
    assert "Content Security Policy" in seen.complaints[0]
    assert seen.buttons
    assert [each for each in seen.buttons if "Share" in each or "Plotly" in each] == []


def test_figures_are_what_plotly_takes():
    assert go.Figure(dict(_picture(["a", "b"]).figure)).data[0].type == "bar"
