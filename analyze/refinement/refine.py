"""The second round (Liu et al. 2011, section 5): a plan that measures bottlenecks in detail, and little else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ...experiment import Experiment, Region
from ...experiment.plan import Include, Merge, Pattern, Plan, Split
from ...experiment.throttling import left_out
from ..findings import Findings
from ..run.compute_time import Computing, compute_time
from ..run.costs import Cost
from ..run.criteria import CRITERIA, THRESHOLD
from .opening import is_block, is_built

__all__ = ["Opened", "Refinement", "cheaper", "refine"]

_LOOPS: Final = ("outer-loops", "inner-loops")
_DEARER: Final = 1.05  # limit on overhead: a round's compute time, divided by that of the previous round


@dataclass(frozen=True, slots=True)
class Opened:
    """A function with a bottleneck, to be measured in more detail.

    Attributes:
        region: The region of the bottleneck.
        modes: The kinds of regions to measure in the function.
        into_blocks: Whether to divide the function into blocks, because its loops were regions already.
    """

    region: Region
    modes: tuple[str, ...]
    into_blocks: bool = False

    @property
    def function(self) -> str:
        """The name of the function whose loops or blocks become regions."""
        return self.region.function or self.region.name


@dataclass(frozen=True, slots=True)
class Refinement:
    """The measurement of the next round.

    Attributes:
        plan: The plan of the next round.
        opened: The bottlenecks, starting with those in which ranks differ; empty if no bottleneck has source code.
        elsewhere: Bottlenecks without source code to compile, such as MPI calls in a program without probes.
    """

    plan: Plan
    opened: tuple[Opened, ...]
    elsewhere: tuple[Region, ...]


def refine(findings: Findings) -> Refinement:
    """Return what the next round should measure.

    In functions with a culprit, all loops become regions. MPI calls, and calls that do file I/O, become regions if they
    take a tenth of the culprit's time. If the loops were regions already, the culprit is divided into blocks. Regions
    that lead to a culprit, or take 3 % of the program's time, are kept::

        main ── solve ── sweep     main ── solve ── sweep ── loop@12 ── loop@14
             └─ check          →

    Args:
        findings: The findings of the previous round.
    """
    experiment = findings.experiment
    positions = dict.fromkeys([*findings.dissimilarity.culprits, *findings.disparity.culprits])
    culprits = {findings.run.weighed.regions[each].id: _modes(findings.run.weighed_costs[each]) for each in positions}
    regions = {path: experiment.call_paths[path].region for path in culprits}
    elsewhere = {path: region for path, region in regions.items() if not is_built(experiment, path)}
    built = {path: modes for path, modes in culprits.items() if path not in elsewhere}
    opened = _opened(experiment, built)
    plan = _plan(experiment, opened, _weighing(findings), built.keys())
    return Refinement(plan, tuple(opened), tuple(dict.fromkeys(elsewhere.values())))


def cheaper(refinement: Refinement, before: Findings, after: Findings) -> Refinement | None:
    """Return a refinement without the regions that its own round throttled, if that round's overhead was too high.

    Probes in a loop with few iterations inside a hot loop cost more than their own time, because the compiler no longer
    unrolls the loop, and verdicts then describe the probes. So if compute time is 5 % longer than in the previous
    round, such loops are left out.

    Args:
        refinement: The refinement that was measured.
        before: The findings from which the refinement was made.
        after: The findings of the round that measured the refinement.

    Returns:
        The refinement without these regions; None if nothing was throttled, or the overhead was small enough.
    """
    throttled = left_out(after.experiment)
    if not throttled or _computing(after.experiment) <= _DEARER * _computing(before.experiment):
        return None
    plan = refinement.plan
    rules = {rule.pattern: rule for rule in (*plan.exclude, *throttled)}
    return replace(refinement, plan=plan._replace(exclude=tuple(rules.values())))


def _computing(experiment: Experiment) -> float:
    known = Computing.is_measured(experiment)
    return float((compute_time(experiment) if known else experiment.exclusive("wall_time")).sum())


def _opened(experiment: Experiment, culprits: Mapping[int, tuple[str, ...]]) -> list[Opened]:
    """Return the functions with culprits, each with the kinds of regions to measure in it."""
    opened: dict[tuple[str, str], Opened] = {}
    for path, modes in culprits.items():
        region = experiment.call_paths[path].region
        key = (region.file, region.function or region.name)
        known = opened.get(key, Opened(region, ()))
        all_modes = tuple(dict.fromkeys([*known.modes, *modes]))
        into_blocks = known.into_blocks or _is_open(experiment, path)
        opened[key] = replace(known, modes=all_modes, into_blocks=into_blocks)
    return list(opened.values())


def _modes(cost: Cost) -> tuple[str, ...]:
    wall = cost.wall_time or 0.0
    mpi = ("mpi",) if (cost.mpi_time or 0.0) > THRESHOLD * wall else ()
    io = ("syscall", "library") if (cost.io_time or 0.0) > THRESHOLD * wall else ()
    return (*_LOOPS, *mpi, *io)


def _is_open(experiment: Experiment, path: int) -> bool:
    """Return whether a loop of the same function, directly inside the culprit or around it, was already a region.

    If so, the next round divides the culprit into blocks instead. Culprits that are blocks or merged are never open.
    """
    region = experiment.call_paths[path].region
    near = [*experiment.children[path], *experiment.ancestors(path)]
    return not (is_block(region) or _members(region)) and any(
        each.kind == "loop" and (each.file, each.function) == (region.file, region.function or region.name)
        for each in (experiment.call_paths[other].region for other in near)
    )


def _weighing(findings: Findings) -> Iterator[int]:
    """Yield the call paths that have source code and take enough time to be kept."""
    for region, cost in zip(findings.vectors.regions, findings.run.costs, strict=True):
        if cost.share >= CRITERIA.least_weight and is_built(findings.experiment, region.id):
            yield region.id


def _plan(experiment: Experiment, opened: Iterable[Opened], weighing: Iterable[int], culprits: Collection[int]) -> Plan:
    """Return the plan that splits culprits, and keeps the regions that take much time or lead to culprits.

    Args:
        experiment: The run.
        opened: The functions with culprits, and the kinds of regions to measure in them.
        weighing: Call paths that take enough time to be kept.
        culprits: Call paths of the culprits.
    """
    way = [each for path in culprits for each in (*reversed(list(experiment.ancestors(path))), path)]
    regions = {path: experiment.call_paths[path].region for path in (*weighing, *way)}
    split = [_host(experiment, path) for path, region in regions.items() if is_block(region)]
    split += [regions[path] for path in culprits if _is_open(experiment, path)]
    apart = {regions[path] for path in culprits if _is_of_loops(regions[path])}
    kept = [
        each
        for each in dict.fromkeys([*regions.values(), *split])
        if each.file and not is_block(each) and each not in apart
    ]
    return Plan(
        modes=(),
        include=(
            *(Include(Pattern.of(each), comment=_shown(each)) for each in kept if not _members(each)),
            *(Include(_all_of_function(each.region), each.modes, f"opens {_shown(each.region)}") for each in opened),
        ),
        exclude=left_out(experiment),
        merge=tuple(_merge(each) for each in kept if _members(each)),
        split=tuple(dict.fromkeys(Split(_pattern(each), "blocks") for each in split if each not in apart)),
    )


def _host(experiment: Experiment, path: int) -> Region:
    """Return the region that a plan split into blocks: the innermost region around the given block, in its function."""
    block = experiment.call_paths[path].region
    around = (experiment.call_paths[each].region for each in experiment.ancestors(path))
    hosts = (each for each in around if (each.file, each.function or each.name) == (block.file, block.function))
    function = Region("function", block.function, block.file, block.function)
    return next((each for each in hosts if not is_block(each)), function)


def _members(region: Region) -> tuple[str, ...]:
    """Return the regions that a plan merged into this one, as in ``loop@4+loop@9``; empty if it is not merged."""
    names = region.name.split("+") if region.kind == "user" else []
    return tuple(names) if len(names) > 1 and all("@" in each for each in names) else ()


def _is_of_loops(region: Region) -> bool:
    """Return whether a region was merged from loops, so that a plan can separate them again."""
    members = _members(region)
    return bool(members) and all(each.startswith("loop@") for each in members)


def _pattern(region: Region) -> Pattern:
    """Return the pattern by which a plan finds the given region: its name if it is merged, otherwise its ordinal.

    The ordinal of a merged region changes with the marks in the source and with the other merges of the plan.
    """
    return Pattern.of_name(region) if _members(region) else Pattern.of(region)


def _merge(region: Region) -> Merge:
    pattern = Pattern.of(region)
    return Merge(pattern.file, pattern.function or "", _members(region))


def _all_of_function(region: Region) -> Pattern:
    return Pattern.of(region)._replace(kind=None, ordinal=None)


def _shown(region: Region) -> str:
    where = f"{region.file}:{region.first_line}"
    return f"{region.name} in {region.function}, {where}" if region.kind != "function" else f"{region.name}, {where}"
