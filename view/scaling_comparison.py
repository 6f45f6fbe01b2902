"""Show how the scaling of two versions of a program differs, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..analyze.scaling import LossChange, Scaling, ScalingComparison
from ..analyze.scaling.factors import COMPUTATION, FACTORS
from .place import Place
from .scaling import beside, ideal_speedup, kind_of_loss, row, signed, speed_in_words, where
from .title import title_of
from .units import many, percent, seconds

__all__ = [
    "SCALING_COMPARISON_SCHEMA",
    "changed_losses",
    "kind_of_change",
    "lost",
    "scaling_comparison_document",
    "scaling_comparison_lines",
    "summary_of_change",
]

SCALING_COMPARISON_SCHEMA: Final = "autoanalyzer.scaling_comparison/1"
_MOST: Final = 8  # maximum number of losses to show
_SAME: Final = 0.01  # minimum change of a loss, as a share of the base's rank-seconds; smaller changes are ignored


def scaling_comparison_lines(found: ScalingComparison) -> list[str]:
    """Return lines about the efficiency and the factor that changed most, then about losses, largest change first."""
    return [*_head(found), "", *_table(found), *_losses(found)]


def _head(found: ScalingComparison) -> Iterator[str]:
    first, second = summary_of_change(found)
    yield f"{found.word.upper():8} {first}"
    yield f"         {second}"


def summary_of_change(found: ScalingComparison) -> tuple[str, str]:
    """Return a line with the change in efficiency, and a line with the changes in the run's time and the speedup."""
    base, other = found.base, found.other
    ranks = base.series.ranks
    before, now = (each.factors["efficiency"][-1] for each in (base, other))
    better = "better" if (now or 0.0) > (before or 0.0) else "worse"
    word = {"same": "scales as before", "unclear": f"may scale {better}"}.get(found.word, f"scales {better}")
    title = title_of(other.series.runs[0].experiment, None)
    changed = f"efficiency {now:.2f} instead of {before:.2f} at {ranks[-1]} ranks"
    by = "confirmed by instructions" if found.by == "instructions" else f"noise may be {percent(100 * found.noise)}"
    times = [_times(each)[-1] for each in (base, other)]
    what = "critical path" if base.is_of_path else "run"
    fast = speed_in_words(base)
    return (
        f"{title} {word}: {changed}; {by}",
        f"{what} {seconds(times[1])} (was {seconds(times[0])}); {other.speedups[-1]:.2f} {fast} "
        f"{many(ranks[0], 'rank')} (was {base.speedups[-1]:.2f}, ideal {ideal_speedup(base)})",
    )


def _times(scaling: Scaling) -> list[float]:
    found: list[float] = scaling.series.judged_times.tolist()
    return found


def _table(found: ScalingComparison) -> Iterator[str]:
    yield row("ranks", [str(each) for each in found.base.series.ranks])
    for name in dict.fromkeys(["efficiency", *([found.changed_most] if found.changed_most else [])]):
        for side, scaling in (("before", found.base), ("now", found.other)):
            cells = ["" if each is None else f"{each:.2f}" for each in scaling.factors[name]]
            label = name.replace("_", " ").replace("time per instruction", "time per instr.")
            changed = "   <- changed most" if side == "now" and name != "efficiency" else ""
            yield row(f"{label} {side}"[:20], cells) + changed


def _losses(found: ScalingComparison) -> Iterator[str]:
    yield lost(found)
    changed = changed_losses(found)
    for word, each in changed[:_MOST]:
        amount = f"{signed(each.other)} instead of {signed(each.base)}"
        yield beside(f"{word:8} {kind_of_change(each):<17}  {where(each.region)}", amount)
    if left := changed[_MOST:]:
        yield f"         … and {many(len(left), 'smaller change')}: --json"
    if same := len(found.changes) - len(changed):
        yield f"SAME     {many(same, 'loss')}"


def lost(found: ScalingComparison) -> str:
    """Return a line with the seconds that each version loses."""
    before, now = (max(each.ledger.lost, 0.0) for each in (found.base, found.other))
    ranks = found.base.series.ranks[-1]
    return f"lost at {ranks} ranks: {seconds(now)} instead of {seconds(before)}, over all ranks"


def changed_losses(found: ScalingComparison) -> list[tuple[str, LossChange]]:
    """Return the losses that changed by at least 1 % of the base's rank-seconds, each with ``LESS``, ``NEW`` etc."""
    least = _SAME * found.base.ledger.whole
    changed = []
    for each in found.changes:
        if abs(each.other - each.base) >= least:
            _, more = sorted((each.base, each.other))
            word = "LESS" if (each.other < each.base) == (more > 0) else "MORE"  # if more <= 0, both are gains
            least_share = _SAME * max(abs(each.base), abs(each.other))
            word = "NEW" if abs(each.base) <= least_share else "GONE" if abs(each.other) <= least_share else word
            changed.append((word, each))
    return changed


def kind_of_change(change: LossChange) -> str:
    """Return the name of the kind of loss that changed."""
    less, more = sorted((change.base, change.other))
    return kind_of_loss(change.kind, more or less)


def scaling_comparison_document(found: ScalingComparison) -> dict[str, Any]:
    """Return a comparison of scaling as JSON data; values that were not measured are None."""
    sides = {"base": found.base, "other": found.other}
    names = (*FACTORS[:-1], COMPUTATION, FACTORS[-1])
    return {
        "schema": SCALING_COMPARISON_SCHEMA,
        "verdict": found.word,
        "by": found.by,
        "noise": found.noise,
        "ranks": list(found.base.series.ranks),
        "mode": found.base.mode,
        "of": "critical_path" if found.base.is_of_path else "run_time",
        "times": {side: _times(each) for side, each in sides.items()},
        "speedup": {side: list(each.speedups) for side, each in sides.items()},
        "factors": {name: {side: list(each.factors[name]) for side, each in sides.items()} for name in names},
        "changed_most": found.changed_most,
        "lost": {side: each.ledger.lost for side, each in sides.items()},
        "losses": [
            {
                "kind": each.kind,
                "file": place.file if place else "",
                "line": place.line if place else 0,
                "function": place.function if place else "",
                "base": each.base,
                "other": each.other,
            }
            for each in found.changes
            for place in [Place.of_region(each.region) if each.region else None]
        ],
        "lines": scaling_comparison_lines(found),
    }
