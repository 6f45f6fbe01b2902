"""Examine each node of a job from a process on it; check whether processes form one MPI program and share folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from .examination import Told, examine
from .families import Family, find_families
from .finding import Finding, Outcome
from .leftovers import Leftover, remove_leftovers
from .mpi import library_name
from .tasks import Answer, Count, Meeting, Task, is_launched
from .world import World, world_of

__all__ = ["Examined", "clean_nodes", "examine_here", "examine_nodes"]

_AREA: Final = "nodes"

_PLUGINS: Final = "try srun --mpi=pmix autoanalyzer doctor, or --mpi=pmi2; to list all plugins, run srun --mpi=list"
_OWN_LAUNCHER: Final = "use the launcher in the MPI compiler's folder, or load its module"
_ADVICE: Final = {
    "working directory": "write to a file system shared by all nodes (-o DIR); otherwise data are gathered over MPI",
    "cache": "set AUTOANALYZER_CACHE to a folder that all nodes share; otherwise each node builds a probe library",
    "home": "",
}


@dataclass(frozen=True, slots=True)
class Examined:
    """The findings about one or several nodes.

    Attributes:
        nodes: Name of a node → its findings.
        together: Findings about the job as a whole; empty outside a job.
        is_part: Whether other nodes print their own findings, because this node cannot reach them.
    """

    nodes: dict[str, list[Finding]]
    together: tuple[Finding, ...] = ()
    is_part: bool = False

    @property
    def findings(self) -> list[Finding]:
        """All findings, beginning with those about all nodes together."""
        return [*self.together, *(finding for each in self.nodes.values() for finding in each)]


def examine_here(told: Told) -> Examined:
    """Return the findings about this machine only."""
    return Examined({os.uname().nodename: examine(told, on_node_of_job=is_launched())})


def examine_nodes(task: Task, told: Told, count: Count) -> Examined | None:
    """Examine this node, and collect the findings of all nodes on rank 0; collective over the job's processes.

    Args:
        task: This process.
        told: Progress callback, called with the name of the current check.
        count: Progress callback, called with the number of other processes that have answered, and with their total.

    Returns:
        The findings that this process prints. Rank 0 prints those of all nodes that answered. A node whose answer
        cannot reach rank 0 prints its own findings. Other processes print nothing, so they get None.
    """
    meeting = Meeting(task)
    families = find_families(os.environ)
    family = _family_of(task, families)
    told("MPI over all nodes")
    with world_of(family) as world:
        tests = task.local_rank == 0
        findings = examine(told, families=families, on_node_of_job=True) if tests else []
        documents = [finding.document() for finding in findings]
        node = os.uname().nodename
        answer = Answer(task.rank, node, tests, documents, world.size, world.failure)
        answers = meeting.brought_together(answer, world, count)
    if answers is None and tests:
        return Examined({node: findings}, (_unheard(node),), is_part=True)
    if not answers:
        return None
    nodes = {each.node: list(map(Finding.read, each.found)) for each in answers if each.tests}
    together = [_answered(task, answers), _mpi(task, answers, family, world), *_places(answers, meeting)]
    return Examined(nodes, tuple(together))


def clean_nodes(task: Task, count: Count, *, data: bool = False) -> dict[str, list[Leftover]] | None:
    """Remove files that old runs left on the nodes; collective over the job's processes.

    Args:
        task: This process.
        count: Progress callback, called with the number of other processes that have answered, and their total.
        data: Whether to also remove data that were never gathered.

    Returns:
        The leftovers that this process prints: node → leftovers; None if rank 0 prints them.
    """
    meeting = Meeting(task)
    with world_of(_family_of(task, find_families(os.environ))) as world:
        tests = task.local_rank == 0
        found = remove_leftovers(data=data, shared=task.rank == 0) if tests else []
        node = os.uname().nodename
        answer = Answer(task.rank, node, tests, [each.document() for each in found])
        answers = meeting.brought_together(answer, world, count)
    if answers is None and tests:
        return {node: found}
    if not answers:
        return None
    nodes = {each.node: list(map(Leftover.read, each.found)) for each in answers if each.tests}
    gone = {each.path for leftovers in nodes.values() for each in leftovers if each.gone}
    return {name: [each for each in found if each.gone or each.path not in gone] for name, found in nodes.items()}


def _family_of(task: Task, families: Sequence[Family]) -> Family | None:
    """Return the MPI library that fits this process's launcher, else the first library, or None if there is none."""
    own = [each for each in families if each.library and each.library.is_open_mpi is task.by_open_mpi]
    return next(iter([*own, *families]), None)


def _answered(task: Task, answers: Sequence[Answer]) -> Finding:
    nodes = list(dict.fromkeys(answer.node for answer in answers))
    silent = sorted(set(range(task.size)) - {answer.rank for answer in answers})
    if not silent:
        found = f"{task.size} processes on {_many(len(nodes))}: {_named(nodes)}"
        return Finding(_AREA, "answers", Outcome.WORKS, found)
    noun, who = ("process", "it") if len(silent) == 1 else ("processes", "they")
    which = f"{noun} {', '.join(map(str, silent))} of {task.size}"
    found = f"no answer from {which}: {who} can reach {nodes[0]} neither by MPI nor through a shared folder"
    advice = "each process that is still running prints its own findings"
    return Finding(_AREA, "answers", Outcome.FAILS, found, advice)


def _places(answers: Sequence[Answer], meeting: Meeting) -> Iterator[Finding]:
    """Yield a finding for each folder, which shows whether all nodes see the folder."""
    tested = [answer for answer in answers if answer.tests]
    for name, place in meeting.places.items():
        blind = [answer.node for answer in tested if not answer.sees.get(name)]
        if blind:
            found = f"{place}: files that {tested[0].node} writes there cannot be seen on {_named(blind)}"
            outcome = Outcome.ABSENT if name == "home" else Outcome.FAILS
            yield Finding(_AREA, name, outcome, found, _ADVICE[name])
        elif len(tested) > 1:
            yield Finding(_AREA, name, Outcome.WORKS, f"{place}: all {len(tested)} nodes see this folder")


def _mpi(task: Task, answers: Sequence[Answer], family: Family | None, world: World) -> Finding:
    advice = _PLUGINS if task.by_open_mpi is None else _OWN_LAUNCHER
    about = Finding(_AREA, f"MPI, {family.name}" if family else "MPI", Outcome.FAILS, "", advice)
    failure = next((answer.failure for answer in answers if answer.failure), "")
    if failure:
        return replace(about, found=failure)
    if world.size != task.size:
        found = f"{task.size} processes, each rank 0 of {world.size}: the launcher does not work with this MPI library"
        return replace(about, found=found)
    by = f"mpi4py, {library_name(world.library)}"
    found = f"{task.size} processes on {_many(len(world.nodes))} in one MPI_COMM_WORLD ({by})"
    return replace(about, outcome=Outcome.WORKS, found=found, advice="")


def _unheard(node: str) -> Finding:
    found = "no answer reaches the first node over MPI, or through a shared working directory, cache or home folder"
    return Finding(_AREA, node, Outcome.FAILS, found, _ADVICE["cache"])


def _named(nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - 4} more" if len(nodes) > 4 else ""
    return f"{', '.join(nodes[:4])}{more}"


def _many(nodes: int) -> str:
    return f"{nodes} node{'' if nodes == 1 else 's'}"
