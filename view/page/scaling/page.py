"""Collect the contents of the page that shows how a program scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....analyze.scaling import Scaling
from ...marks.mark import element
from ...picture import Picture, picture_html
from ...place import Place
from ...scaling import mode_in_words, summary
from ...title import title_of
from ...units import seconds
from ..document import Page
from .efficiency import efficiency_picture
from .factors import factors_picture
from .losses import Find, cause_of, losses_picture
from .predictions import predictions_picture
from .regions import regions_picture

if TYPE_CHECKING:
    from ....advise import Advised

__all__ = ["answer", "beside", "scaling_page"]


def scaling_page(scaling: Scaling, advised: Advised | None = None, find: Find | None = None) -> Page:
    """Return the contents of a page on how a program scales.

    Args:
        scaling: The result of the analysis.
        advised: What to try in the sources; None if they were not read.
        find: Returns a source file by its name; None to leave sources out.
    """
    experiment = scaling.last.experiment
    labels = ", ".join(scaling.series.labels)
    command = " ".join(experiment.notes.command)
    body = (
        beside(factors_picture(scaling), efficiency_picture(scaling)),
        picture_html(losses_picture(scaling, advised, find), level=2),
        beside(regions_picture(scaling), predictions_picture(scaling)),
    )
    return Page(
        f"{title_of(experiment, None)}: scaling",
        answer(scaling),
        [*([command] if command else []), f"runs: {labels}"],
        verdict=[*summary(scaling), mode_in_words(scaling)],
        counters="".join(body),
    )


def beside(*pictures: Picture) -> str:
    """Return pictures as HTML, side by side if the screen is wide enough."""
    return element("div", *(picture_html(each, level=2) for each in pictures), class_="lists")


def answer(scaling: Scaling) -> str:
    """Return a sentence on what limits scaling: the factor that falls first, and the largest loss."""
    last, efficiency = scaling.series.ranks[-1], scaling.factors["efficiency"][-1]
    program = title_of(scaling.series.runs[0].experiment, None)
    fall = ""
    if scaling.falls_first:
        value = scaling.factors[scaling.falls_first][scaling.series.ranks.index(scaling.falls_at or 0)]
        fall = f"the factor {scaling.falls_first.replace('_', ' ')} falls to {value:.2f}"
    if scaling.scales_well:
        although = f", although {fall} at {scaling.falls_at} ranks" if fall else ""
        said = f"{program} scales well up to {last} ranks: efficiency {efficiency:.2f}{although}"
    elif fall:
        said = f"{program} stops scaling well at {scaling.falls_at} ranks, where {fall}"
    else:
        said = f"{program} has an efficiency of {efficiency:.2f} at {last} ranks, but no single factor is below 0.9"
    loss = scaling.largest_loss
    if loss is None:
        return said
    there = f"in {Place.of_region(loss.region).in_words}" if loss.region else "in all regions"
    amounts = seconds(loss.rank_seconds)
    if scaling.ledger.lost >= loss.rank_seconds:
        amounts += f" of {seconds(scaling.ledger.lost)}"
    return f"{said}; the largest loss at {last} ranks, {amounts}, is {there}: {cause_of(scaling, loss)}"
