"""Compile the notes of a run: missing data, processes that ended early, and how the data were measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from statistics import median  # numpy's median would import numpy.ma, which takes as long as a small gather
from typing import Final

from ...experiment import Notes, Region
from ...experiment.file_use import FileUse
from ...experiment.throttling import reason_of
from ..facts import RunFacts
from ..papi.sources import source_in_calls
from .call_sites import without_call_site
from .critical_path import PathRecords, said_of_path
from .head import Head
from .inside import said_of_errors, said_of_samples, seen_inside
from .processes import count_alone, world_size
from .said_of_build import compiled_files, unprobed_callees
from .sample_sums import SampleSums
from .shard import Shard
from .thread_waits import thread_waits
from .topologies import said_of_topologies

__all__ = ["most_used_files", "run_notes"]

_MOST_FILES: Final = 20

_BYPASSES: Final = {
    1: "MPI was used, but its calls were not recorded",
    2: "MPI calls by a library that was loaded with RTLD_DEEPBIND were not recorded",
}
_SILENCE: Final = 0.5  # share of the recorded time; shorter silence is not reported
_WORTH_A_WORD: Final = 0.01  # share of a region's entries; a smaller share is not reported


def run_notes(
    heads: Mapping[int, Head],
    facts: RunFacts,
    remarks: Sequence[str],
    *,
    folded: Collection[Region],
    regions: Iterable[Region],
    names: Mapping[Region, Region],
    samples: SampleSums,
) -> Notes:
    """Return the notes: missing processes and early ends, omitted data, and how all other data were measured.

    Args:
        heads: Rank of each process → its head; processes without a rank have the numbers after the last rank.
        facts: Facts that the processes cannot record themselves.
        remarks: Warnings from gathering, which come first.
        folded: The regions whose time is attributed to their callers on some call path.
        regions: All regions that were entered.
        names: The names of calls and waits that were known only by an address: see ``call_site_names``.
        samples: The samples of all threads' code.
    """
    processes = {process: head.shard for process, head in heads.items()}
    shards = list(processes.values())
    expected = world_size(shards)
    unfinished = [process for process, shard in sorted(processes.items()) if _is_unfinished(shard, facts.status)]
    instrumented = {head.shard.program for head in heads.values() if head.has_probes}
    throttled, untimed = _throttled_regions(heads.values())
    uninstrumented = sorted(
        {
            (shard.program, "; --python-functions '*' shows functions and imports" if shard.script else "")
            for shard in shards
            if shard.program not in instrumented
        }
    )
    sampled_programs = {head.shard.program for head in heads.values() if head.spread}
    objects = {name for shard in shards for name in (shard.executable, *shard.libraries)}
    entered = set(regions)
    inside, sampled = seen_inside(samples)
    times_of_samples = _sample_of_times(heads.values(), samples)
    on_this_node = {shard.host for shard in shards} == {facts.node}
    return Notes(
        program=shards[0].program,
        command=tuple(facts.command),
        program_status=facts.status,
        expected_processes=expected or len(shards),
        started=_started(processes, expected),
        missing=tuple(rank for rank in range(expected or 0) if rank not in processes),
        unfinished=tuple(unfinished),
        not_instrumented=tuple(
            f"{name}: no probes, only {'samples, ' * (name in sampled_programs)}MPI calls and file I/O{more}"
            for name, more in uninstrumented
        ),
        remarks=(
            *remarks,
            *_remarks(heads, unfinished, expected, facts),
            *_said_of_timed_again(heads.values(), folded),
            *said_of_samples(samples),
            *(said_of_errors(samples) if times_of_samples else ()),
        ),
        clocks={
            "wall": ", ".join(sorted({shard.wall_clock for shard in shards})),
            "cpu": ", ".join(sorted({shard.cpu_clock for shard in shards})),
            "ticks_per_second": f"{median(shard.ticks_per_second for shard in shards):.0f}",
        },
        probe_ns=_pair_cost(heads.values(), untimed) * 1e9,
        throttled_ns=_throttled_cost(shards, untimed) * 1e9,
        call_ns=median(shard.call_cost for shard in shards) * 1e9,
        path_seconds=_path_seconds(shards),
        path_is_partial=any(each.is_partial for each in _paths(shards)),
        max_overhead=facts.max_overhead,
        throttled=throttled,
        unprobed=unprobed_callees(entered, objects),
        compiled=compiled_files(entered, objects),
        untimed=untimed,
        repairs=sum(tree.repairs for shard in shards for tree in shard.threads),
        run_delay={str(rank): shard.run_delay for rank, shard in processes.items() if shard.run_delay is not None},
        involuntary_switches={str(rank): shard.involuntary_switches for rank, shard in processes.items()},
        processors=facts.processors if on_this_node else None,
        processor_use=facts.processor_use if on_this_node else {},
        environment=facts.environment,
        prices=facts.prices,
        calibrated=facts.calibrated,
        files=most_used_files(shard.files for shard in shards),
        inside=inside,
        sampled=sampled,
        samples=times_of_samples,
        thread_waits=thread_waits((shard.waits for shard in shards), names),
    )


def _sample_of_times(heads: Iterable[Head], samples: SampleSums) -> dict[str, float]:
    """Return the time that one sample represents, by metric; empty if all programs have probes."""
    if not samples.signals or not any(head.spread for head in heads):
        return {}
    return dict.fromkeys(("wall_time", "cpu_time"), (samples.seconds - samples.lost) / samples.signals)


def _path_seconds(shards: Iterable[Shard]) -> float | None:
    """Return the seconds spent on recording the critical path, over all ranks; None if no path was recorded."""
    taken = [shard.chains.seconds for shard in shards if shard.chains and shard.chains.state != "alone"]
    return fsum(taken) if taken else None


def _started(processes: dict[int, Shard], expected: int | None) -> tuple[int, ...]:
    """Return the processes that other processes started; without MPI, those that were forked."""
    return tuple(
        process
        for process, shard in sorted(processes.items())
        if (shard.forked_from if expected is None else process >= expected)
    )


def _is_unfinished(shard: Shard, status: int | None) -> bool:
    """Return whether a process's data end early; without MPI, ``_exit`` is a regular end."""
    if shard.mpi_initialised is None:
        return shard.state == "running" and status != 0 and not shard.forked_from
    return shard.mpi_finalising is None


def _unseen(bypassed: Sequence[int]) -> Iterable[str]:
    """Yield warnings about MPI calls that were not seen, from each process's value of ``mpi_bypassed``."""
    for bypass in sorted({*bypassed}.intersection(_BYPASSES)):
        yield (
            f"{_BYPASSES[bypass]}, on {bypassed.count(bypass)} of {len(bypassed)} processes: busy times include "
            "waiting in MPI, which may make ranks differ"
        )


def _remarks(
    heads: Mapping[int, Head], unfinished: Sequence[int], expected: int | None, facts: RunFacts
) -> Iterable[str]:
    processes = {process: head.shard for process, head in heads.items()}
    shards = processes.values()
    alone = count_alone(shards)
    if alone > 1:
        yield (
            f"{alone} processes, each alone in its MPI_COMM_WORLD: does the launcher belong to the MPI library that "
            "the program is linked to?"
        )
    yield from _unseen([shard.mpi_bypassed for shard in shards])
    for process, shard in processes.items():
        if shard.state == "aborted":
            yield f"rank {process} called MPI_Abort with code {shard.exit_code}"
    if unfinished and facts.ended is not None and {shard.host for shard in shards} == {facts.node}:
        silence = facts.ended - max(map(_silent_from, shards))
        if silence > _SILENCE * max(shard.last for shard in shards):
            yield (
                f"in the last {silence:.3g} s of the run, no process entered or left a region; each stayed in one "
                "region or call"
            )
    # Processes that ended by themselves come first, then the process that was silent first, because the others may only
    # have waited for it.
    for process in sorted(
        unfinished, key=lambda rank: (processes[rank].state != "exited", _silent_from(processes[rank]))
    ):
        shard = processes[process]
        what = "ended by itself" if shard.state == "exited" else "was last active"
        yield f"rank {process} {what} at {shard.last:.3g} s in {heads[process].seen_in}"
    if not alone > 1:
        yield from _others(processes, expected)
    if len({(shard.papi, *sorted(shard.sources.items())) for shard in shards if shard.threads}) > 1:
        yield "counts that some processes did not record, or recorded in a different way, are left out"
    if calls := next((shard.counted_in for shard in shards if shard.counted_in), ()):
        yield f"events were counted only{source_in_calls('', calls)} (--count-in), not in the regions' own code"
    if any(shard.by_turns for shard in shards):
        yield "counts are estimates: events shared the hardware counters (--multiplex)"
    trees = [tree for shard in shards for tree in shard.threads]
    levels = [shard.deepest for shard in shards if shard.deepest]
    if levels:
        yield (
            f"call paths below level {min(levels)} were attributed to their callers, because memory ran short on "
            f"{len(levels)} of {len(shards)} processes; raise --max-memory"
        )
    counts = {
        "entries attributed to their caller, because memory ran short": sum(t.collapsed for t in trees),
        "exits from regions without a matching entry": sum(tree.unmatched for tree in trees),
        "entries from signal handlers, attributed to the interrupted code": sum(tree.reentered for tree in trees),
        "threads recorded only partly, because memory ran short": sum(tree.stopped for tree in trees),
        "threads not recorded, because memory ran short": sum(shard.unrecorded for shard in shards),
        "threads without counts, because their counters did not start": sum(shard.uncounted for shard in shards),
        "regions not recorded, because their probes have another version": sum(shard.refused for shard in shards),
        "messages left out of the communication matrix, because the sender or the receiver is not in the launcher's "
        "MPI_COMM_WORLD, or memory ran short": sum(shard.messages_left_out for shard in shards),
    }
    yield from (f"{what}: {count}" for what, count in counts.items() if count)
    yield from said_of_topologies(processes)
    yield from said_of_path(_paths(shards))


def _paths(shards: Iterable[Shard]) -> list[PathRecords]:
    """Return the records of the critical path of the launcher's ranks."""
    launched = (shard for shard in shards if not (shard.spawned or shard.forked_from))
    return [shard.chains for shard in launched if shard.chains]


def _said_of_timed_again(heads: Iterable[Head], folded: Iterable[Region]) -> Iterable[str]:
    """Yield a warning about regions that were timed again: how many of their entries have no time."""
    names = {without_call_site(region) for region in folded}
    for region, (entered, untimed) in _timed_again(heads).items():
        said = (
            f"{region.name} seemed too small to measure, but took a long time; {untimed:,} of its "
            f"{entered:,} entries {'was' if untimed == 1 else 'were'} not timed"
        )
        if region in names:
            yield (
                f"{said}; on call paths on which threads differ in the number of these entries, the region's whole "
                "time is attributed to its callers"
            )
        elif untimed >= _WORTH_A_WORD * entered:
            yield f"{said}; the time of these entries is attributed to callers"


def _others(processes: dict[int, Shard], expected: int | None) -> Iterable[str]:
    """Yield texts that count the processes that are not the launcher's ranks, grouped by how they started."""
    found: dict[str, list[int]] = {}
    for process, shard in processes.items():
        if shard.spawned:
            found.setdefault("started by MPI_Comm_spawn", []).append(process)
        elif shard.forked_from:
            found.setdefault("forked by other processes", []).append(process)
        elif expected and process >= expected:
            found.setdefault("beyond the size of MPI_COMM_WORLD", []).append(process)
    for how, numbers in found.items():
        who = "process" if len(numbers) == 1 else "processes"
        yield f"{len(numbers)} {who} {how}: {'numbered' if len(numbers) == 1 else 'numbered from'} {min(numbers)}"


def _silent_from(shard: Shard) -> float:
    """Return the time of a process's last event, on the wall clock."""
    return shard.start_realtime + shard.last


def _throttled_regions(heads: Iterable[Head]) -> tuple[dict[str, str], int]:
    """Add up the entries and times of throttled regions.

    Returns:
        Descriptors of regions that were not timed again, each with its number of entries and the time of the timed
        entries, most entries first; and the total number of untimed entries.
    """
    heads = list(heads)
    entered: dict[str, int] = {}
    timed: dict[str, int] = {}
    seconds: dict[str, list[float]] = {}
    for each in (node for head in heads for thread in head.throttled for node in thread):
        name = without_call_site(each.region).descriptor
        entered[name] = entered.get(name, 0) + each.visits
        timed[name] = timed.get(name, 0) + each.timed
        seconds.setdefault(name, []).append(each.seconds)
    again = {region.descriptor for region in _timed_again(heads)}
    reasons = {
        name: reason_of(entered[name], timed[name], fsum(seconds[name]))
        for name in sorted(entered, key=lambda name: -entered[name])
        if entered[name] > timed[name] and name not in again
    }
    return reasons, sum(entered.values()) - sum(timed.values())


def _timed_again(heads: Iterable[Head]) -> dict[Region, tuple[int, int]]:
    """Return the numbers of entries and of untimed entries of each region that was timed again because it took long."""
    found: dict[Region, tuple[int, int]] = {}
    for thread in (thread for head in heads for thread in head.throttled):
        for each in sorted((node for node in thread if node.again), key=lambda node: node.node):
            region = without_call_site(each.region)
            entered, untimed = found.get(region, (0, 0))
            found[region] = entered + each.visits, untimed + each.visits - each.timed
    return found


def _pair_cost(heads: Collection[Head], untimed: int) -> float:
    """Return the mean seconds of a timed entry and exit; the stub of Fortran programs takes additional time."""
    shards = [head.shard for head in heads]
    cost = median(shard.pair_cost for shard in shards)
    timed = max(sum(head.entries for head in heads) - untimed, 0)
    fortran = min(sum(tree.fortran for shard in shards for tree in shard.threads), timed)
    return cost + (median(shard.fortran_cost for shard in shards) - cost) * fortran / max(timed, 1)


def _throttled_cost(shards: Sequence[Shard], untimed: int) -> float:
    """Return the mean seconds of a throttled entry, whether or not it calls the probe library."""
    calling = median(shard.throttled_cost for shard in shards)
    if not untimed:
        return calling
    trees = [tree for shard in shards for tree in shard.threads]
    left, opened = sum(tree.left for tree in trees), sum(tree.opened for tree in trees)
    called = max(sum(tree.passed for tree in trees) - left - opened, 0)
    silent = max(untimed - called - left - opened, 0)
    slotted = min(sum(tree.slotted for tree in trees), silent)
    taken = fsum(
        (
            called * calling,
            left * median(shard.left_cost for shard in shards),
            opened * median(shard.opened_cost for shard in shards),
            slotted * median(shard.slot_cost for shard in shards),
            (silent - slotted) * median(shard.passing_cost for shard in shards),
        )
    )
    return taken / untimed


def most_used_files(processes: Iterable[Iterable[FileUse]]) -> tuple[FileUse, ...]:
    """Return the use of each file, summed over processes, longest time first; files after the first 20 are combined."""
    total: dict[str, FileUse] = {}
    for files in processes:
        for file in files:
            if file.calls or file.seconds:
                total[file.name] = _sum(file.name, total[file.name], file) if file.name in total else file
    named = [file for file in total.values() if file.name]
    ordered = sorted(named, key=lambda file: (-file.seconds, -file.bytes_read - file.bytes_written, file.name))
    rest = [*ordered[_MOST_FILES:], *(total[name] for name in total if not name)]
    others = rest[0] if rest else None
    for file in rest[1:]:
        others = _sum("", others or file, file)
    return (*ordered[:_MOST_FILES], *((_sum("", others),) if others else ()))


def _sum(name: str, *files: FileUse) -> FileUse:
    """Add up the use of one file or, without a name, of several files.

    For several files, the number of processes is the maximum, because files may share processes.
    """
    return FileUse(
        name,
        sum(file.processes for file in files) if name else max(file.processes for file in files),
        sum(file.calls for file in files),
        sum(file.bytes_read for file in files),
        sum(file.bytes_written for file in files),
        sum(file.seconds for file in files),
    )
