"""Several nodes, each examined by a process of its own; and what they have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .examination import Told, examine
from .families import Family, find_families
from .finding import Finding, Outcome
from .leftovers import Leftover, remove_leftovers
from .tasks import Answer, Meeting, Task
from .together import together

__all__ = ["AREA", "Examined", "clean_nodes", "examine_here", "examine_nodes"]

AREA: Final = "nodes"

_ADVICE: Final = {
    "working directory": "write data to a disk that all nodes see (-o DIR), or they are brought home over MPI",
    "cache": "set AUTOANALYZER_CACHE to a folder that all nodes see, or each node builds the probe library for itself",
    "home": "",
}


Count = Callable[[int, int], object]
"""Takes how many of the other processes have answered, and how many there are."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found.

    Attributes:
        nodes: On each node, by its name.
        together: Of all nodes; nothing for a node by itself.
    """

    nodes: dict[str, list[Finding]]
    together: tuple[Finding, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """All, of whichever node."""
        return [*self.together, *(finding for each in self.nodes.values() for finding in each)]


def examine_here(told: Told) -> Examined:
    """Examine this machine."""
    return Examined({os.uname().nodename: examine(told)})


def examine_nodes(task: Task, told: Told, count: Count) -> Examined | None:
    """Examine this node, and bring together what others found; all processes of a launcher do so at the same time.

    Args:
        task: This process.
        told: Takes what is being tried.
        count: Takes how many of the other processes have answered, and how many there are.

    Returns:
        What is to be printed: by the first process for all, by one that it does not hear for its own node, by others
        nothing.
    """
    meeting = Meeting(task)
    families = find_families(os.environ)
    told("MPI over all nodes")
    mpi = together(families[0]) if families else {"failure": "no MPI compiler on PATH"}
    tests = task.local_rank == 0
    findings = examine(told, families=families, on_node_of_job=True) if tests else []
    node = os.uname().nodename
    answer = Answer(task.rank, node, tests, [finding.document() for finding in findings], mpi)
    answers = meeting.brought_together(answer, count)
    if answers is None:
        return Examined({node: findings}, (_unheard(node),)) if tests and not meeting.is_heard else None
    nodes = {each.node: list(map(Finding.read, each.found)) for each in answers if each.tests}
    return Examined(nodes, tuple(_together(task, answers, families, meeting)))


def clean_nodes(task: Task, count: Count, *, data: bool = False) -> dict[str, list[Leftover]] | None:
    """Remove what old runs left on the nodes; as ``examine_nodes``.

    Args:
        task: This process.
        count: Takes how many of the other processes have answered, and how many there are.
        data: Whether data go, too, that were never gathered.
    """
    meeting = Meeting(task)
    tests = task.local_rank == 0
    found = remove_leftovers(data=data, shared=task.rank == 0) if tests else []
    node = os.uname().nodename
    answers = meeting.brought_together(Answer(task.rank, node, tests, [each.document() for each in found]), count)
    if answers is None:
        return {node: found} if tests and not meeting.is_heard else None
    nodes = {each.node: list(map(Leftover.read, each.found)) for each in answers if each.tests}
    gone = {each.path for leftovers in nodes.values() for each in leftovers if each.gone}
    return {name: [each for each in found if each.gone or each.path not in gone] for name, found in nodes.items()}


def _together(task: Task, answers: Sequence[Answer], families: Sequence[Family], meeting: Meeting) -> Iterator[Finding]:
    nodes = list(dict.fromkeys(answer.node for answer in answers))
    silent = sorted(set(range(task.size)) - {answer.rank for answer in answers})
    if silent:
        which = f"process {', '.join(map(str, silent))} of {task.size} shares no folder with {nodes[0]}, or has ended"
        yield Finding(AREA, "answers", Outcome.FAILS, which, "what it found is printed by itself")
    else:
        yield Finding(AREA, "answers", Outcome.WORKS, f"{task.size} processes on {len(nodes)} nodes: {_named(nodes)}")
    yield _mpi(task, answers, families)
    for name, place in meeting.places.items():
        blind = list(dict.fromkeys(answer.node for answer in answers if not answer.sees.get(name)))
        if blind:
            found = f"{place}: {_named(blind)} does not see what {nodes[0]} writes there"
            outcome = Outcome.ABSENT if name == "home" else Outcome.FAILS
            yield Finding(AREA, name, outcome, found, _ADVICE[name])
        elif not silent:
            yield Finding(AREA, name, Outcome.WORKS, f"{place}: all nodes see it")


def _mpi(task: Task, answers: Sequence[Answer], families: Sequence[Family]) -> Finding:
    name = f"MPI, {families[0].name}" if families else "MPI"
    failures = [answer.together["failure"] for answer in answers if "failure" in answer.together]
    sizes = {answer.together.get("size") for answer in answers}
    others = "srun --mpi=list names what Slurm knows: srun --mpi=pmix or --mpi=pmi2 autoanalyzer doctor"
    if failures:
        return Finding(AREA, name, Outcome.FAILS, failures[0], others)
    if sizes != {task.size}:
        found = f"{task.size} times rank 0 of 1: the launcher does not tell this MPI library of the other processes"
        return Finding(AREA, name, Outcome.FAILS, found, others)
    told: dict[str, Any] = answers[0].together
    found = f"{task.size} processes on {len(told['nodes'])} nodes in one MPI_COMM_WORLD (mpi4py, {told['library']})"
    return Finding(AREA, name, Outcome.WORKS, found)


def _unheard(node: str) -> Finding:
    found = f"{node} shares neither working directory nor cache nor home with the first node"
    return Finding(AREA, node, Outcome.FAILS, found, _ADVICE["cache"])


def _named(nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - 4} more" if len(nodes) > 4 else ""
    return f"{', '.join(nodes[:4])}{more}"
