"""Why each region takes its time, and which ranks wait for which other ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...experiment import Experiment, Region
from ..critical_path.serialisation import Serialisation, find_serialisation
from ..critical_path.teams import Teams, find_teams
from ..dissimilarity.differences import Differences
from ..evidence.attributes import Attribute, attributes_of
from ..evidence.time_split import TimeSplit, time_split
from ..run.code_regions import CodeRegion
from ..run.criteria import CRITERIA
from ..run.preparation import Prepared
from ..run.summary import summary
from ..waiting.measured_waiting import with_measured
from ..waiting.waiting import Waiting, find_waiting, followed_waiting

__all__ = ["Explanation", "attributes_of_ranks", "explain", "unprobed_callees"]


@dataclass(frozen=True)
class Explanation:
    """Why each region takes its time, and which ranks wait for which other ranks.

    Attributes:
        waiting: How much of each region's time in MPI is waiting for late ranks, and where these ranks are meanwhile.
        attributes: The possible causes by name, with their amounts in each region over all ranks.
        seconds: The time that each of these causes takes in each region.
        serialisation: The time of each region on the critical path; None if the path is unknown.
        teams: The regions in which the slowest thread differs between executions; None if the path is unknown, or there
            are no teams.
    """

    waiting: Waiting
    attributes: Mapping[str, Attribute]
    seconds: TimeSplit
    serialisation: Serialisation | None = None
    teams: Teams | None = None


def explain(prepared: Prepared, differences: Differences | None) -> Explanation:
    """Explain the time of each region.

    Args:
        prepared: The run.
        differences: How ranks differ; None if they were not compared. Then no time in MPI is explained as waiting.
    """
    weighed = prepared.weighed
    waiting = Waiting(np.zeros(len(weighed.regions)))
    serialisation = find_serialisation(weighed) if differences else None
    if differences and serialisation:
        waiting = followed_waiting(weighed, differences.dissimilarity.culprits, serialisation)
    elif differences:
        found, vectors = differences.dissimilarity, differences.vectors
        waiting = find_waiting(weighed, found, vectors, differences.selection)
    waiting = with_measured(waiting, weighed)
    attributes = attributes_of(weighed)
    turns = bool(prepared.oversubscription or prepared.wait_for_core or prepared.waits_for_cores_unknown)
    seconds = time_split(weighed, attributes, prepared.weighed_costs, waiting.seconds, serialisation, turns=turns)
    if differences is None:
        seconds = replace(seconds, mpi=np.zeros_like(seconds.mpi))
    teams = find_teams(replace(weighed, regions=prepared.compared.regions)) if serialisation else None
    return Explanation(waiting, attributes, seconds, serialisation, teams)


def attributes_of_ranks(differences: Differences) -> Mapping[str, Attribute]:
    """Return the possible causes of a difference, by name.

    Only bytes are possible causes if a rank's counts do not belong to the work that was timed on this rank.
    """
    attributes = attributes_of(differences.selection)
    if differences.selection.experiment.notes.counts_by_rank:
        return attributes
    return {name: each for name, each in attributes.items() if name.endswith("_bytes")}


def unprobed_callees(experiment: Experiment, regions: Sequence[CodeRegion]) -> dict[int, tuple[str, ...]]:
    """Map the position of each region with much own time to the functions without probes that it calls."""
    callees = {Region.from_descriptor(each): names.split("\n") for each, names in experiment.notes.unprobed.items()}
    if not callees:
        return {}
    times = summary(experiment, "wall_time").sums.tolist()
    own: Counter[Region] = Counter()
    for path, time in zip(experiment.call_paths, times, strict=True):
        own[path.region] += time
    weighing = {each for each in callees if own[each] >= CRITERIA.least_weight * sum(times)}
    found = ((index, experiment.call_paths[each.id].region) for index, each in enumerate(regions))
    return {index: tuple(callees[region]) for index, region in found if region in weighing}
