"""Show a comparison of two sets of runs as text, Markdown, JSON, or JUnit XML for a build server."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Any, Final

from lxml import etree

from ..analyze.comparison import Comparison, Judgement
from ..analyze.comparison.compared_runs import BUSY_TIME, PATH_TIME
from ..analyze.comparison.comparison import MIN_SHARE, Verdict
from ..analyze.comparison.noise import CONFIDENCE, UNKNOWN_NOISE
from ..analyze.run.oversubscription import share_of_others
from .caveats import shared_cores
from .place import at_line, visible
from .units import amount, many, percent

__all__ = [
    "BASES",
    "TITLES",
    "base_first",
    "basis",
    "comparison_document",
    "comparison_junit",
    "comparison_lines",
    "comparison_markdown",
    "comparison_rows",
    "comparison_summary",
    "headline",
    "one_sided",
    "outcome",
    "outcomes",
    "remarks",
    "signed",
    "than",
]

# The metrics on which a verdict can be based, and the words for the program's value.
BASES: Final = {PATH_TIME: "the critical path", BUSY_TIME: "the busiest rank"}
_OF_RANKS: Final = {"mean": "mean of the ranks", "sum": "sum of the ranks", "max": "busiest rank"}
_SCHEMA: Final = "autoanalyzer.comparison/1"
TITLES: Final = ("", "base", "now", "change", "at 99 %", "verdict")  # the columns of the comparison table

_WORST_FIRST: Final[dict[Verdict, int]] = {"slower": 0, "unclear": 1, "waiting": 2, "faster": 3, "same": 4}
_OPEN: Final = 10.0  # the largest change, +1000 %, that is written exactly; larger changes are "over +1000 %"


def comparison_lines(comparisons: Sequence[Comparison]) -> list[str]:
    """Return lines that describe comparisons of the same runs by several metrics, with common warnings at the end.

    The comparison by the base of the verdict, the critical path or the busiest rank, comes first.
    """
    lines: list[str] = []
    for comparison in base_first(comparisons):
        lines += [*([""] if lines else []), *_lines(comparison)]
    return [*lines, *(f"         {each}" for each in remarks(comparisons))]


def base_first(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons, with the one by the base of the verdict moved to the front."""
    return sorted(comparisons, key=lambda each: each.metric not in BASES)


def comparison_summary(comparison: Comparison) -> list[str]:
    """Return a sentence about the program or the busiest rank, then one for each region that changed."""
    changed = [each for each in comparison.regions if each.verdict != "same"]
    return [_sentence(comparison, each) for each in (comparison.program, *changed)]


def _lines(comparison: Comparison) -> list[str]:
    """Return lines about the program, then lines about regions that differ."""
    program = comparison.program
    lines = [f"{program.verdict.upper():8} {headline(comparison)}", f"         {basis(comparison)}"]
    changed = [each for each in comparison.regions if each.verdict != "same"]
    lines += [f"{each.verdict.upper():8} {_sentence(comparison, each)}" for each in changed]
    lines += one_sided(comparison)
    rest = len(comparison.regions) - len(changed)
    if rest:
        lines.append(f"SAME     {many(rest, 'region')}")
    return lines


def comparison_markdown(comparisons: Sequence[Comparison]) -> str:
    """Return comparisons of the same runs as Markdown: a heading with the result, then tables, worst metric first."""
    worst_first = _worst_first(comparisons)
    said = [f"\n{_escaped(each)}\n" for each in remarks(comparisons)]
    return "".join([f"## {_escaped(outcomes(comparisons))}\n\n", "\n".join(map(_markdown, worst_first)), *said])


def outcomes(comparisons: Sequence[Comparison]) -> str:
    """Return the results by metric, worst first: ``SLOWER by compute_time, UNCLEAR by wall_time``."""
    metrics: dict[Verdict, list[str]] = {}
    for each in _worst_first(comparisons):
        metrics.setdefault(outcome(each), []).append(visible(each.metric))
    return ", ".join(f"{each.upper()} by {' and '.join(by)}" for each, by in metrics.items())


def _worst_first(comparisons: Sequence[Comparison]) -> list[Comparison]:
    return sorted(comparisons, key=lambda each: (_WORST_FIRST[outcome(each)], _rank(each.program)))


def outcome(comparison: Comparison) -> Verdict:
    """Return the result by one metric: ``slower`` if the program or a region is slower."""
    return "slower" if comparison.slower else comparison.program.verdict


def _rank(judgement: Judgement) -> int:
    return _WORST_FIRST[judgement.verdict]


def _markdown(comparison: Comparison) -> str:
    lines = [
        f"**{comparison.program.verdict.upper()}** {_escaped(headline(comparison))}",
        "",
        basis(comparison),
        "",
        f"|{' | '.join(TITLES)} |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for _, (title, *cells) in comparison_rows(comparison):
        lines.append(f"| {' | '.join((_escaped(title), *cells))} |")
    return "\n".join([*lines, *(f"\n{_escaped(each)}" for each in one_sided(comparison))]) + "\n"


def comparison_rows(comparison: Comparison) -> list[tuple[Judgement, tuple[str, ...]]]:
    """Return the program, then the judged regions, worst first, each with its table cells (see ``TITLES``)."""
    return [
        (
            each,
            (
                _title(comparison, each),
                amount(each.base, comparison.unit),
                amount(each.other, comparison.unit),
                signed(each.shift.change, _digits(comparison.threshold)),
                _limits(comparison, each) or "unknown",
                each.verdict,
            ),
        )
        for each in (comparison.program, *sorted(comparison.regions, key=_rank))
    ]


def comparison_document(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return comparisons by several metrics as JSON data."""
    return {
        "schema": _SCHEMA,
        "slower": any(each.slower for each in comparisons),
        "comparisons": [_document(each) for each in comparisons],
    }


def _document(comparison: Comparison) -> dict[str, Any]:
    return {
        "metric": comparison.metric,
        "unit": comparison.unit,
        "of_ranks": comparison.of_ranks,
        "threshold": comparison.threshold,
        "least": comparison.least,
        "confidence": CONFIDENCE,
        "runs": list(comparison.runs),
        "noise_known": comparison.noise_known,
        "slower": comparison.slower,
        "program": _entry(comparison, comparison.program),
        "regions": [_entry(comparison, each) for each in comparison.regions],
        "appeared": [_place(comparison, *each) for each in comparison.appeared],
        "vanished": [_place(comparison, *each) for each in comparison.vanished],
        "partial": [{**_place(comparison, path), "runs": list(runs)} for path, runs in comparison.partial],
        "matched_by_likeness": _likeness(comparison),
        "folded": visible(comparison.joined.folding.remark),
        "verdict": _lines(comparison),
    }


def comparison_junit(comparisons: Sequence[Comparison]) -> bytes:
    """Return comparisons as JUnit XML: a test suite per metric, with a test for the program and each judged region."""
    suites = etree.Element("testsuites", name="autoanalyzer compare")
    for comparison in comparisons:
        _add_suite(suites, comparison)
    return bytes(etree.tostring(suites, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_suite(suites: Any, comparison: Comparison) -> None:
    every = (comparison.program, *comparison.regions)
    failures = str(sum(each.verdict == "slower" for each in every))
    suite = etree.SubElement(
        suites, "testsuite", name=comparison.metric, tests=str(len(every)), failures=failures, errors="0"
    )
    for each in every:
        case = etree.SubElement(suite, "testcase", classname=comparison.metric, name=_title(comparison, each))
        said = _sentence(comparison, each)
        if each.verdict == "slower":
            etree.SubElement(case, "failure", message=said).text = basis(comparison)
        else:
            etree.SubElement(case, "system-out").text = f"{each.verdict}: {said}"


def _entry(comparison: Comparison, judgement: Judgement) -> dict[str, Any]:
    found = judgement.shift
    return {
        **_place(comparison, judgement.path),
        "base": judgement.base,
        "other": judgement.other,
        "change": _finite(found.change),
        "low": _finite(found.low),
        "high": _finite(found.high),
        "noise": _finite(found.noise),
        "verdict": judgement.verdict,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _place(comparison: Comparison, path: int | None, value: float | None = None) -> dict[str, Any]:
    """Return a call path as JSON data.

    Args:
        comparison: The comparison.
        path: Index of the call path; None for the whole program.
        value: The value of a call path that exists only in the base runs or only in the new runs.
    """
    region = None if path is None else comparison.joined.call_paths[path].region
    return {
        "path": "" if path is None else visible(comparison.joined.path_name(path)),
        "file": region.file if region else "",
        "line": region.first_line if region else 0,
        **({} if value is None else {"value": value}),
    }


def one_sided(comparison: Comparison) -> list[str]:
    """Return lines about regions that ran only in the base runs, only in the new runs, or only in some runs."""
    base, other = comparison.runs
    partial = [
        f"PARTLY   {_named(comparison, path)} ran in {mine} of {base} base runs and in {theirs} of {other} new runs, "
        f"so it is not judged"
        for path, (mine, theirs) in comparison.partial
    ]
    return partial + [
        f"{word:8} {_named(comparison, path)} {verb} {amount(value, comparison.unit)}"
        for word, verb, paths in (
            ("NEW", _verb(comparison), comparison.appeared),
            ("GONE", "took" if comparison.unit == "sec" else "had", comparison.vanished),
        )
        for path, value in paths
    ]


def headline(comparison: Comparison) -> str:
    """Return the sentence about the program, with the number of slower regions if the program itself is not slower."""
    slower = sum(each.verdict == "slower" for each in comparison.regions)
    hidden = slower and comparison.program.verdict != "slower"
    more = f"; {many(slower, 'region')} {'is' if slower == 1 else 'are'} slower" if hidden else ""
    return _sentence(comparison, comparison.program) + more


def _sentence(comparison: Comparison, judgement: Judgement) -> str:
    """Describe a change and its confidence interval: ``the program takes 1.1 s, 10 % more than 1 s (8 % to 13 %)``."""
    found = judgement.shift
    base, now = (amount(each, comparison.unit) for each in (judgement.base, judgement.other))
    changed = than(found.change, _digits(comparison.threshold))
    compared = f"{changed} {base}" if changed else "the same as the base"
    limits = _limits(comparison, judgement)
    sure = f" ({limits})" if limits else ""
    why = _why(comparison, judgement)
    return f"{_title(comparison, judgement)} {_verb(comparison)} {now}, {compared}{sure}{f': {why}' if why else ''}"


def _verb(comparison: Comparison) -> str:
    return "takes" if comparison.unit == "sec" else "has"


def _limits(comparison: Comparison, judgement: Judgement) -> str:
    """Return the confidence limits of a change as text, such as ``+8.0 % to +13.0 %``; empty if unknown."""
    found = (judgement.shift.low, judgement.shift.high)
    low, high = ("" if each is None else signed(each, _digits(comparison.threshold)) for each in found)
    return low if low == high else f"{low} to {high}"


def _why(comparison: Comparison, judgement: Judgement) -> str:
    """Return why a verdict is unclear, or why a region that takes longer does not count as slower; otherwise empty."""
    if judgement.verdict == "waiting":
        return "waiting moved to this region, and the program is not slower"
    return _doubt(comparison, judgement) if judgement.verdict == "unclear" else ""


def _doubt(comparison: Comparison, judgement: Judgement) -> str:
    found = judgement.shift
    if max(judgement.base, judgement.other) < comparison.least:
        return f"too short to judge, less than {amount(comparison.least, comparison.unit)}"
    if found.low is None or found.high is None:
        return "repeat the runs"
    if found.low <= 0 <= found.high:
        return "more runs are needed"
    if min(found.above, found.below) >= 1 - CONFIDENCE:
        return "base runs and new runs overlap; more runs are needed"
    judged = many(len(comparison.regions), "region")
    return f"clear on its own, but among {judged}, it may be due to chance; more runs are needed"


def basis(comparison: Comparison) -> str:
    """Return a line that describes what was compared, the noise, and the confidence."""
    base, now = comparison.runs
    found, threshold = comparison.program.shift, comparison.threshold
    said = (
        f"{comparison.metric}, {_OF_RANKS[comparison.of_ranks]}, minima of "
        f"{many(base, 'base run')} and {many(now, 'new run')}; changes below {100 * threshold:g} % do not count"
    )
    if found.noise is None:
        least = f"{100 * UNKNOWN_NOISE:g} % more or a third less"
        return f"{said}; with one run, noise is unknown, so only {least} counts as a change"
    if min(base, now) == 1:
        return f"{said}; simulated counts do not vary"
    low, high = found.low, found.high
    wide = low is not None and high is not None and low <= -threshold <= threshold <= high
    how = "which would hide" if found.noise >= threshold else "but more runs are needed to see"
    hidden = f", {how} a change of {100 * threshold:g} %" if wide else ""
    return f"{said}; noise {100 * found.noise:.1f} %{hidden}; confidence {100 * CONFIDENCE:g} %"


def _title(comparison: Comparison, judgement: Judgement) -> str:
    if judgement.path is None:
        return BASES.get(comparison.metric, "the program")
    return _named(comparison, judgement.path)


def _named(comparison: Comparison, path: int) -> str:
    """Return a call path's name with file and line; the root is left out of the name."""
    region = comparison.joined.call_paths[path].region
    place = f" ({at_line(region.file, region.first_line)})" if region.file and region.first_line else ""
    return visible(comparison.joined.path_name(path)) + place


def remarks(comparisons: Sequence[Comparison]) -> list[str]:
    """Return notes on the values of regions, the load by other programs, and regions matched by similarity."""
    least = f"{100 * MIN_SHARE:g} % of the program's value"
    said = f"values of regions exclude callees; a region is judged if it has at least {least}"
    alone = [said] if any(each.regions for each in comparisons) else []
    joined = comparisons[0].joined
    return [*alone, *_load(comparisons), *_likeness(comparisons[0]), *filter(None, [visible(joined.folding.remark)])]


def _load(comparisons: Sequence[Comparison]) -> list[str]:
    """Return warnings if shared cores or other programs may have changed the times."""
    first = comparisons[0]
    shared = next(filter(None, map(shared_cores, first.joined.operands)), None)
    by_wall = any(each.of_ranks == "mean" for each in comparisons)
    lines = [f"{shared}: wall time includes waiting for a core, busy time does not"] if shared and by_wall else []
    shares = [share_of_others(each) for each in first.joined.operands]
    if any(shares) and any(each.unit == "sec" for each in comparisons):
        sides = (shares[: first.runs[0]], shares[first.runs[0] :])
        base, now = (percent(100 * sum(side) / len(side)) if any(side) else "little" for side in sides)
        took = f"{base} of the cores' time in the base runs, and {now} now"
        lines.append(f"other programs took {took}, so times may differ")
    return lines


def _likeness(comparison: Comparison) -> list[str]:
    return [visible(each) for each in comparison.joined.likenesses()]


def than(change: float, digits: int = 1) -> str:
    """Return the start of a comparison, such as ``10.0 % more than`` for a change of 0.1; empty if it rounds to 0.

    ``digits`` is the number of decimals.
    """
    size = f"{abs(100 * change):.{digits}f} %"
    return f"{size} {'more' if change > 0 else 'less'} than" if size.strip("0. %") else ""


def signed(value: float, digits: int = 1) -> str:
    """Return a relative change as text: ``+8.0 %`` for 0.08, ``-3.0 %``, or ``over +1000 %``.

    ``digits`` is the number of decimals.
    """
    if value > _OPEN:
        return f"over {100 * _OPEN:+.0f} %"
    rounded = f"{100 * value:+.{digits}f} %"
    return rounded if rounded.strip("+-0. %") else rounded[1:]


def _digits(threshold: float) -> int:
    """Return the number of decimals of percentages: one, or more if the threshold is below 0.1 %."""
    return -floor(log10(100 * threshold)) if 0 < threshold < 0.001 else 1


def _escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>|#" else each for each in text)
