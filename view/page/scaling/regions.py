"""Draw the times of regions over numbers of ranks."""

from __future__ import annotations

from ....analyze.scaling import Scaling, curves
from ....analyze.verdict import Kind
from ....experiment import Region
from ...marks import Curve, Curves, mark
from ...picture import Picture
from ...scaling import place_and_title
from ...units import letters, seconds
from .efficiency import COLOURS

__all__ = ["regions_picture"]


def regions_picture(scaling: Scaling) -> Picture:
    """Return a picture of regions' times over numbers of ranks."""
    series = scaling.series
    whole = "critical path" if scaling.is_of_path else "run"
    found = curves(scaling, mark.COLOURS)  # at most as many regions as the chart has colours
    marks: dict[Region | None, tuple[str, str]] = {}
    for number, loss in enumerate(scaling.ledger.losses, start=1):
        if loss.region:
            marks.setdefault(loss.region, (COLOURS.get(loss.kind, "grey"), str(number)))
    for letter, region in enumerate(each.region for each in found if each.region not in marks):
        marks[region] = ("grey" if region else COLOURS[Kind.TRANSFER], letters(letter))
    shown = [
        Curve("perfect scaling", scaling.ideal_times, "ideal"),
        Curve(whole, series.judged_times.tolist(), "total"),
        *(Curve(_name(each.region), each.seconds, *marks[each.region]) for each in found),
    ]
    said = (
        "Time of regions on the critical path; both axes are logarithmic. A line includes nested regions only if they "
        "belong to the same loss. If a region scales perfectly, its line is parallel to the dashed line. Numbers and "
        "colours are those of the losses above; letters mark other lines."
    )
    return Picture("Regions over ranks", [Curves(series.ranks, shown, "time", "ranks", seconds)], [said])


def _name(region: Region | None) -> str:
    return " ".join(filter(None, place_and_title(region))) if region else "outside the critical path (messages)"
