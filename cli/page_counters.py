"""Compute the statistics of an experiment for its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import AutoanalyzerError
from .proposed_region import MOST, region_name
from .space_arguments import with_shared_cores

if TYPE_CHECKING:
    from ..view.page import Subject

__all__ = ["counters_of"]


def counters_of(subject: Subject) -> str:
    """Return HTML with statistics of the region that the verdict names first.

    If the verdict names no region, or the region has too few locations or metrics, the statistics describe the whole
    program. The HTML is empty if the program also has too few locations or metrics, has no findings, or has more than
    ``MOST`` locations.
    """
    from ..analyze.run.oversubscription import waiting_for_turns
    from ..multivariate.metric_space import MetricSpace
    from ..view.counters_html import counters_html

    experiment, findings = subject.experiment, subject.findings
    if findings is None or len(experiment.locations) > MOST:
        return ""
    from ..multivariate import analyses as statistics
    from ..view import statistics as view

    named = findings.verdict.first.region if findings.verdict.first else None
    region = region_name(experiment, named) if named else None
    exclusive = named is not None and region is not None and named.own_code
    besides = ("compute_time",) if "cpu_time" in waiting_for_turns(experiment) else ()
    for place, own in dict.fromkeys([(region, exclusive), (None, False)]):
        try:
            space = MetricSpace.of(experiment, region=place, exclusive=own, besides=besides)
            alike = view.hierarchy_report(statistics.hierarchy(statistics.dimensions(space)), findings.vectors.metric)
            redundant = view.correlation_report(statistics.correlation(space))
            break
        except AutoanalyzerError:  # too few locations or metrics
            continue
    else:
        return ""
    parts = (("Similar locations: hierarchy", alike), ("Redundant metrics: correlation", redundant))
    return "".join(
        counters_html(with_shared_cores(report, [experiment]), title, space.place) for title, report in parts
    )
