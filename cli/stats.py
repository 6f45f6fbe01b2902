"""``autoanalyzer stats``: compute multivariate statistics of counters on all locations (Ahn and Vetter 2002)."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError
from ..multivariate.metric_space import SCALES
from ..view.units import many
from .documents import check_targets
from .proposed_region import MOST, ProposedRegion
from .space_arguments import REPORTS, add_space_arguments, check_seed, metric_space, with_shared_cores, write_report

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..multivariate.factors import Factors
    from ..multivariate.metric_space import MetricSpace, Scale
    from ..view.report import Report

__all__ = ["add_arguments", "run"]


_ANALYSES: Final = ("correlation", "hierarchy", "kmeans", "factors", "pca", "map")
_CLUSTERING: Final = ("hierarchy", "kmeans", "pca", "map")
# The same names as in multivariate.analyses, which is imported on demand; a test compares them.
_LINKAGES: Final = ("ward", "average", "complete", "single", "weighted", "centroid", "median")
_CRITERIA: Final = ("silhouette", "calinski-harabasz", "davies-bouldin")
_ROTATIONS: Final = ("varimax", "promax", "none")

# Option → the analyses that accept it.
_ONLY: Final = {
    "k": ("hierarchy", "kmeans", "factors", "pca", "map"),
    "linkage": ("hierarchy", "map"),
    "criterion": ("kmeans",),
    "rotation": ("factors", "hierarchy", "kmeans", "pca", "map"),
    "factor": _CLUSTERING,
    "grid": ("map",),
    "scale": _CLUSTERING,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument(
        "analysis",
        choices=_ANALYSES,
        metavar=f"{{{','.join(_ANALYSES)}}}",  # so that the error for a missing argument lists the analyses
        help="correlation: redundant metrics; hierarchy, kmeans: clusters of locations; factors: groups of metrics "
        "that vary together; pca: the main differences; map: clusters on the process grid",
    )
    parser.add_argument(
        "-k", type=int, metavar="K", help="number of clusters or factors (default: chosen from the data)"
    )
    parser.add_argument(
        "--linkage", choices=_LINKAGES, help="how distances between clusters are computed (default: ward)"
    )
    parser.add_argument(
        "--criterion", choices=_CRITERIA, help="how kmeans chooses the number of clusters (default: silhouette)"
    )
    parser.add_argument("--rotation", choices=_ROTATIONS, help="rotation of the factors (default: varimax)")
    parser.add_argument("--factor", type=int, metavar="N", help="use only the metrics of factor N")
    parser.add_argument(
        "--grid",
        metavar="8x8",
        help="sizes of the process grid (default: those of the program's MPI topology, else a guess)",
    )
    parser.add_argument(
        "--scale",
        choices=SCALES,
        help="scale each metric by its standard deviation (default), by its mean, or not at all",
    )
    parser.add_argument(
        "--recurse",
        action="store_true",
        help="repeat the analysis within each distinct cluster of at least four locations, up to three levels deep",
    )
    add_space_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..analyze.run.oversubscription import waiting_for_turns
    from ..runs.open_experiment import open_experiment

    _check(arguments)
    experiment, file = open_experiment(arguments.experiment)
    samples = [open_experiment(path)[0] for path in arguments.sample]
    runs = [experiment, *samples]
    polling = arguments.analysis in _CLUSTERING and any("cpu_time" in waiting_for_turns(each) for each in runs)
    space = metric_space(arguments, *runs, besides=("compute_time",) if polling else ())
    report = _report(arguments, experiment, space)
    proposed = ProposedRegion.of(experiment, arguments) if arguments.region is None else None
    if proposed:
        report = replace(report, sentences=[proposed.sentence, *report.sentences])
    elif arguments.region is None and len(experiment.locations) > MOST:
        said = (
            f"With more than {MOST} locations, no --region is proposed; to get a proposal, run: "
            f"autoanalyzer analyze {file}"
        )
        report = replace(report, caveats=[*report.caveats, said])
    write_report(
        arguments,
        with_shared_cores(report, runs),
        title=f"{arguments.analysis}: {Path(experiment.notes.program or file).name}",
        about=f"{file}, {space.place}: {len(space.points)} locations, {many(len(space.metrics), 'metric')}"
        f"{f'. {proposed.sentence}' if proposed else ''}",
        experiment=(experiment, file),
        document={
            "experiment": str(file),
            "seed": arguments.seed,
            "proposed": {"region": proposed.region, "exclusive": proposed.exclusive, "command": proposed.command}
            if proposed
            else None,
        },
    )
    return 0


def _check(arguments: argparse.Namespace) -> None:
    check_targets([arguments.experiment, *arguments.sample], **{kind: getattr(arguments, kind) for kind in REPORTS})
    for option, analyses in _ONLY.items():
        if getattr(arguments, option) is not None and arguments.analysis not in analyses:
            dashes = "-" if len(option) == 1 else "--"
            raise UsageError(f"{dashes}{option} applies to {', '.join(analyses)}, not to {arguments.analysis}")
    if arguments.rotation and arguments.analysis != "factors" and arguments.factor is None:
        raise UsageError("--rotation needs the analysis factors, or --factor N")
    if arguments.analysis == "map" and arguments.sample:
        raise UsageError("--sample cannot be combined with map, which shows the ranks of one run")
    check_seed(arguments.seed)


def _grid(text: str | None) -> list[int] | None:
    """Return the sizes of a grid such as ``8x8``, or None if no grid is given.

    Raises:
        UsageError: The text is not a grid.
    """
    if text is None:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,6}(x[1-9][0-9]{0,6}){0,5}", text):
        raise UsageError(f"--grid {text}: expected sizes such as 8x8 or 4x4x2")
    return [int(size) for size in text.split("x")]


def _report(arguments: argparse.Namespace, experiment: Experiment, space: MetricSpace) -> Report:
    """Return the report of the analysis; if requested, it also covers each cluster separately."""
    from ..multivariate import analyses as statistics
    from ..view import statistics as view

    seed: int = arguments.seed
    scale: Scale = arguments.scale or "standard"
    rotation: statistics.Rotation = arguments.rotation or "varimax"
    factor: tuple[int, Factors] | None = None
    if arguments.factor is not None:
        factor = arguments.factor, statistics.factors(space, rotation=rotation, seed=seed)
        space = _along(space, *factor)

    def parting(part: MetricSpace, fewest: int = 1) -> MetricSpace:
        return part if arguments.metrics or arguments.factor else statistics.dimensions(part, fewest=fewest)

    def tree(part: MetricSpace) -> statistics.Hierarchy:
        method: statistics.Linkage = arguments.linkage or "ward"
        return statistics.hierarchy(parting(part), method=method, clusters=arguments.k, scale=scale, seed=seed)

    def kmeans(part: MetricSpace) -> statistics.Clusters:
        criterion: statistics.Criterion = arguments.criterion or "silhouette"
        return statistics.kmeans(parting(part), clusters=arguments.k, criterion=criterion, scale=scale, seed=seed)

    def pca(part: MetricSpace) -> statistics.Components:
        return statistics.pca(parting(part, 2), clusters=arguments.k, scale=scale, seed=seed)

    found: tuple[Callable[[MetricSpace], Any], Callable[[Any], Report]]
    match arguments.analysis:
        case "correlation":
            found = statistics.correlation, view.correlation_report
        case "hierarchy":
            found = tree, view.hierarchy_report
        case "kmeans":
            found = kmeans, view.kmeans_report
        case "factors":
            found = partial(statistics.factors, count=arguments.k, rotation=rotation, seed=seed), view.factors_report
        case "pca":
            found = pca, view.pca_report
        case _:
            shown = {point.process for point in space.points}
            grid = statistics.grid_of(experiment, _grid(arguments.grid), shown=shown)
            found = (
                lambda part: statistics.membership(tree(part), grid),
                partial(view.membership_report, factor=factor),
            )
    analysis, report = found
    if not arguments.recurse:
        return report(analysis(space))

    def clusters(part: MetricSpace, result: Any) -> statistics.Partition:
        """Return the clusters that the analysis finds, or the clusters of k-means if the analysis finds none."""
        if isinstance(result, statistics.Membership):
            return result.hierarchy.partition
        partition: statistics.Partition | None = getattr(result, "partition", None)
        return partition or statistics.kmeans(part, scale=scale, seed=seed).partition

    return view.nested_report(statistics.recursively(space, analysis, clusters), report)


def _along(space: MetricSpace, number: int, factors: Factors) -> MetricSpace:
    """Return the metric space with only the metrics of one factor.

    Raises:
        UsageError: There is no such factor, or no metric belongs to it.
    """
    from ..view.place import visible

    count = len(factors.factors)
    listed = ", ".join(f"{place} {visible(each.name)}" for place, each in enumerate(factors.factors, start=1))
    if not 1 <= number <= count:
        are = "the only factor is" if count == 1 else "the factors are"
        known = f"{are} {listed}" if listed else "these metrics have no common factors"
        raise UsageError(f"--factor {number}: no such factor; {known}")
    if not factors.factors[number - 1].metrics:
        raise UsageError(f"--factor {number}: no metric belongs to this factor ({listed})")
    return space.along(factors.factors[number - 1].metrics)
