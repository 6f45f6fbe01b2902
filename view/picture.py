"""A picture of a result, with a title, marks, and conclusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .marks import Mark
from .marks.mark import text

__all__ = ["Picture", "picture_html"]


@dataclass(frozen=True)
class Picture:
    """One or several marks, such as charts, with a title and conclusions.

    Attributes:
        title: Title of the picture.
        marks: The marks, which are placed side by side.
        sentences: Conclusions for the reader, as plain text.
        notes: How the values were computed, as plain text, which is shown below the marks.
    """

    title: str
    marks: Sequence[Mark]
    sentences: Sequence[str] = field(default=())
    notes: Sequence[str] = field(default=())


def picture_html(picture: Picture, level: int = 3) -> str:
    """Return a picture as a section of an HTML page; ``level`` is the level of its heading, from 1."""
    sentences, notes = ("".join(f"<p>{text(each)}</p>" for each in said) for said in (picture.sentences, picture.notes))
    marks = "".join(f"<div>{each.html()}</div>" for each in picture.marks)
    title = f"<h{level}>{text(picture.title)}</h{level}>"
    body = f'{sentences}<div class="marks">{marks}</div>{notes}'
    return f'<section class="mark">{title}{body}</section>\n'
