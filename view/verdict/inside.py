"""Show which code inside a finding's region takes the time, according to samples."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, Final

from ...analyze import Findings
from ...analyze.verdict import Finding
from ...experiment.inside import Inside, InsidePart
from ..place import short
from ..units import many, percent

__all__ = ["inside_document", "inside_line"]

_MOST: Final = 4  # maximum number of functions and lines of code to name
_LEAST: Final = 0.05  # minimum share of the samples at which a function or line of code is named
_SIGMAS: Final = 2.0  # standard deviations of the error that is printed
_PROBES: Final = "the probes"


def inside_line(findings: Findings, finding: Finding) -> str:
    """Return a line such as ``inside: get 71 %, exp (libm) 12 %, line 31 9 % (412 samples; each share ±4 %)``.

    Percentages are shares of the region's own time. Shares that are less than two standard deviations above 0 are left
    out, because they may be due to chance. The line is empty if there are too few samples.
    """
    found = _inside(findings, finding)
    if found is None:
        return ""
    shares: dict[str, float] = {}
    for part in _parts(found):
        shares[_name(part)] = shares.get(_name(part), 0.0) + part.samples / found.samples
    named = {
        name: share
        for name, share in shares.items()
        if share >= max(_LEAST, _SIGMAS * _deviation(share, found.samples))
    }
    first = sorted(named, key=lambda name: -named[name])[:_MOST]
    if not first:
        return ""
    error = max(1.0, 100 * _SIGMAS * max(_deviation(named[name], found.samples) for name in first))
    said = ", ".join(f"{name} {percent(100 * named[name])}" for name in first)
    own = " its own time" if finding.region and finding.region.children else ""
    paths = sum(path.region.descriptor == found.region for path in findings.experiment.call_paths)
    of_all = ", over all its calls" if paths > 1 else ""
    return f"inside{own}: {said} ({many(round(found.samples), 'sample')}{of_all}; each share ±{error:.0f} %)"


def inside_document(findings: Findings, finding: Finding) -> list[dict[str, Any]]:
    """Return, as JSON data, all code that samples found in a finding's region, with its shares of the own time."""
    found = _inside(findings, finding)
    if found is None:
        return []
    return [
        {
            "name": part.name,
            "library": part.library,
            "file": part.file,
            "line": part.line,
            "share": part.samples / found.samples,
            "samples": part.samples,
        }
        for part in _parts(found)
    ]


def _inside(findings: Findings, finding: Finding) -> Inside | None:
    region = finding.region
    return findings.inside.get(findings.experiment.call_paths[region.id].region) if region else None


def _parts(found: Inside) -> Iterator[InsidePart]:
    """Yield the code in which a region's own time was sampled, including the probes, most samples first."""
    probes = [InsidePart(_PROBES, "", "", 0, found.probes)] if found.probes else []
    yield from sorted([*found.parts, *probes], key=lambda part: -part.samples)


def _name(part: InsidePart) -> str:
    if part.library:
        return f"{part.name} ({part.library})" if part.name else part.library
    return short(part.name) if part.name else f"line {part.line}"


def _deviation(share: float, samples: float) -> float:
    """Return the standard deviation of a share that was estimated from a number of samples.

    Two samples are added to both the share and its complement, so that the deviation of 0 and 1 is not 0 (Agresti and
    Coull, The American Statistician 52(2), 1998).
    """
    likely = (share * samples + 2) / (samples + 4)
    return sqrt(likely * (1 - likely) / (samples + 4))
