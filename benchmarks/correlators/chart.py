"""Draw grouped bar charts as scalable vector graphics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["drawn_chart"]

_COLOURS: Final = (
    "#8dd3c7", "#4c9f8f", "#fdb462", "#e08214", "#b35806", "#bebada", "#8073ac", "#1f78b4", "#a6cee3", "#555555",
)  # fmt: skip
_BAR: Final = 9
_GAP: Final = 22
_LEFT: Final = 46
_TOP: Final = 14
_HEIGHT: Final = 260
_LINE: Final = 18


def drawn_chart(groups: Mapping[str, Mapping[str, float]], categories: Sequence[tuple[str, str]]) -> str:
    """Return a chart with a group of bars for each kind, as SVG.

    Args:
        groups: Kind → name of a bar → its value, at most 1; negative values are drawn as 0.
        categories: Each kind with its category, in the order in which the groups are drawn.
    """
    names = list(next(iter(groups.values())))
    width = len(names) * _BAR + _GAP
    whole = _LEFT + width * len(groups) + 10
    bottom = _TOP + _HEIGHT
    legend = bottom + 3 * _LINE
    height = legend + _LINE * ((len(names) + 4) // 5) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - tick * _HEIGHT
        parts.append(f'<line x1="{_LEFT}" x2="{whole - 10}" y1="{y:g}" y2="{y:g}" stroke="#ccc"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{tick:g}</text>')
    for number, (kind, category) in enumerate(categories):
        left = _LEFT + number * width + _GAP / 2
        middle = left + len(names) * _BAR / 2
        for place, (name, value) in enumerate(groups[kind].items()):
            height = max(value, 0) * _HEIGHT
            parts.append(
                f'<rect x="{left + place * _BAR:g}" y="{bottom - height:.1f}" width="{_BAR - 1}" height="{height:.1f}" '
                f'fill="{_COLOURS[place]}"><title>{kind}, {name}: {value:.2f}</title></rect>'
            )
        parts.append(f'<text x="{middle:g}" y="{bottom + _LINE}" text-anchor="middle">{kind}</text>')
        parts.append(
            f'<text x="{middle:g}" y="{bottom + 2 * _LINE - 2}" text-anchor="middle" fill="#666">{category}</text>'
        )
    for place, name in enumerate(names):
        x, y = _LEFT + place % 5 * (whole - _LEFT) / 5, legend + place // 5 * _LINE
        parts.append(f'<rect x="{x:g}" y="{y - 2:g}" width="11" height="11" fill="{_COLOURS[place]}"/>')
        parts.append(f'<text x="{x + 16:g}" y="{y + 8:g}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])
