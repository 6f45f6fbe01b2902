"""A picture of a result: what it shows, its marks, and what a reader should take from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .marks import Mark
from .marks.mark import text

__all__ = ["Picture", "picture_html"]


@dataclass(frozen=True)
class Picture:
    """A few marks and what they tell.

    Attributes:
        title: What is seen.
        marks: One, or several side by side.
        sentences: What a reader should take from it; plain text.
    """

    title: str
    marks: Sequence[Mark]
    sentences: Sequence[str] = field(default=())


def picture_html(picture: Picture) -> str:
    """Give a section of a page."""
    sentences = "".join(f"<p>{text(each)}</p>" for each in picture.sentences)
    marks = "".join(f"<div>{each.html()}</div>" for each in picture.marks)
    return (
        f'<section class="mark"><h3>{text(picture.title)}</h3>{sentences}<div class="marks">{marks}</div></section>\n'
    )
