"""Collect the contents of the page that shows how a program scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....analyze.scaling import Scaling
from ....analyze.scaling.factors import is_low
from ...marks.mark import element
from ...picture import Picture, picture_html
from ...place import Place
from ...scaling import mode_in_words, summary
from ...title import title_of
from ...units import many, seconds
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
    """Return a sentence on what limits scaling: efficiency, the factor that falls first, and the largest loss."""
    ranks, loss = scaling.series.ranks, scaling.largest_loss
    program = title_of(scaling.series.runs[0].experiment, None)
    at = scaling.stops_at or ranks[-1]
    efficiency = f"{scaling.factors['efficiency'][ranks.index(at)]:.2f}"
    if scaling.scales_well:
        parts = [f"{program} scales well up to {at} ranks (efficiency {efficiency})"]
    elif at == ranks[0]:
        parts = [f"{program} already has an efficiency of only {efficiency} with {many(at, 'rank')}"]
    else:
        parts = [f"{program} stops scaling well at {at} ranks (efficiency {efficiency})"]
    if scaling.falls_first and scaling.falls_at:
        value = scaling.factors[scaling.falls_first][ranks.index(scaling.falls_at)]
        name = scaling.falls_first.replace("_", " ")
        written = f"{value:.2f}" if is_low(round(value or 0.0, 2)) else f"{value:.4f}"
        parts.append(f"the first factor below 0.9 is {name} ({written} at {many(scaling.falls_at, 'rank')})")
    elif not scaling.scales_well:
        parts.append("no single factor is below 0.9")
    if loss:
        there = f"in {Place.of_region(loss.region).in_words}" if loss.region else "in all regions"
        amounts = seconds(loss.rank_seconds)
        if scaling.ledger.lost >= loss.rank_seconds:
            amounts += f" of the {seconds(scaling.ledger.lost)} lost"
        cause = cause_of(scaling, loss)
        parts.append(f"the largest loss at {ranks[-1]} ranks, {amounts} over all ranks, is {there}: {cause}")
    return "; ".join(parts)
