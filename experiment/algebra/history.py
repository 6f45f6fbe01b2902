"""The history and the notes of a derived experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from ..compiled import grouped
from ..delay import Delay
from ..experiment import Experiment
from ..inside import added_insides
from ..messages import combined_messages
from ..notes import Notes
from ..region import Region
from ..thread_wait import added
from .regions import Alike

__all__ = ["derived_notes", "labels_of", "likenesses", "listed"]

_LONGEST: Final = 60  # maximum number of characters of an operation within the label of another operation
# Untimed entries are combined in the same way as visits.
_UNTIMED: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {"sum": sum, "mean": lambda of: sum(of) // len(of)}

_T = TypeVar("_T")


def labels_of(operands: Sequence[Experiment]) -> tuple[str, ...]:
    """Label each experiment with the operation that produced it, or with its program.

    A long operation is shortened, as in ``mean(…)``; the history contains it in full.
    """
    return tuple(
        _short(each.notes.history[-1]) if each.notes.history else each.notes.program or "experiment"
        for each in operands
    )


def _short(step: str) -> str:
    operation, bracket, _ = step.partition("(")
    return step if len(step) <= _LONGEST or not bracket else f"{operation}(…)"


def derived_notes(
    operation: str,
    operands: Sequence[Experiment],
    labels: Sequence[str],
    alike: Sequence[Sequence[Alike]],
    *,
    remarks: Iterable[str],
    throttled: Mapping[str, str],
    delays: tuple[Delay, ...],
    one_sided: Iterable[str] = (),
) -> Notes:
    """Return the notes of a result: the facts that all operands share, and the warnings of all operands.

    Args:
        operation: The name of the operation, such as ``mean``.
        operands: The operands.
        labels: The operands' names in messages.
        alike: For each operand, its regions that were matched by similarity.
        remarks: Further warnings.
        throttled: Descriptor of a region that any operand throttled → the reason.
        delays: The delays of the result.
        one_sided: The result's metrics that are missing in an operand.
    """
    notes = [each.notes for each in operands]
    processes = [each.expected_processes for each in notes]
    return Notes(
        program=_common((each.program for each in notes), ""),
        command=_common((each.command for each in notes), ()),
        program_status=_common((each.program_status for each in notes), None),
        expected_processes=None if None in processes else max(each for each in processes if each is not None),
        started=tuple(sorted({process for each in notes for process in each.started})),
        missing=tuple(sorted({rank for each in notes for rank in each.missing})),
        unfinished=tuple(sorted({rank for each in notes for rank in each.unfinished})),
        not_instrumented=_union(each.not_instrumented for each in notes),
        remarks=(*_said_of(notes, labels), *likenesses(labels, alike), *remarks),
        clocks=_common((each.clocks for each in notes), {}),
        probe_ns=_common((each.probe_ns for each in notes), None),
        throttled_ns=max((each.throttled_ns for each in notes if each.throttled_ns is not None), default=None),
        call_ns=_common((each.call_ns for each in notes), None),
        max_overhead=_common((each.max_overhead for each in notes), None),
        throttled=dict(throttled),
        unprobed={region: names for each in notes for region, names in each.unprobed.items()},
        compiled=grouped(each for operand in notes for each in operand.compiled),
        untimed=_UNTIMED.get(operation, max)([each.untimed for each in notes]),
        repairs=sum(each.repairs for each in notes),
        processors=_common((each.processors for each in notes), None),
        path_is_partial=any(each.path_is_partial for each in notes),
        counts_by_rank=all(each.counts_by_rank for each in notes),
        environment=_common_entries([each.environment for each in notes]),
        thread_waits=added((wait for each in notes for wait in each.thread_waits), runs=len(notes), same=True)
        if operation == "mean"
        else (),
        inside=added_insides(each for of_run in notes for each in of_run.inside) if operation == "mean" else (),
        sampled=_sampled(notes) if operation == "mean" else {},
        delays=delays,
        messages=combined_messages(operation, [each.messages for each in notes]),
        prices=_common((each.prices for each in notes), {}),
        calibrated=_common((each.calibrated for each in notes), {}),
        path_seconds=_path_seconds(operation, [each.path_seconds for each in notes]),
        samples=_samples(operation, notes),
        left_out={part: whole for each in notes for part, whole in each.left_out.items()},
        one_sided=_union((*(each.one_sided for each in notes), tuple(one_sided))),
        history=(*_steps(notes, labels), f"{operation}({', '.join(labels)})"),
    )


def _samples(operation: str, notes: Sequence[Notes]) -> dict[str, float]:
    """Map each sampled metric to the largest amount that one sample adds to the result; a mean of n divides it by n."""
    parts = len(notes) if operation == "mean" else 1
    names = dict.fromkeys(name for each in notes for name in each.samples)
    return {name: max(each.samples.get(name, 0.0) for each in notes) / parts for name in names}


def _sampled(notes: Sequence[Notes]) -> dict[str, float]:
    """Add up the samples of all runs; a sample represents less time in their mean. Empty if a run was not sampled."""
    if not all(each.sampled for each in notes):
        return {}
    found = {name: sum(each.sampled[name] for each in notes) for name in ("samples", "probes")}
    seconds = sum(each.sampled["samples"] * each.sampled["seconds"] for each in notes) / len(notes)
    return {**found, "seconds": seconds / found["samples"]}


def _path_seconds(operation: str, of_each: Sequence[float | None]) -> float | None:
    """Return the seconds spent on recording the critical path; None if no operand contains this time.

    ``mean`` and ``sum`` combine the operands' times in the same way as values; other operations take the longest time.
    """
    known = [each for each in of_each if each is not None]
    if not known:
        return None
    return {"mean": sum(known) / len(of_each), "sum": sum(known)}.get(operation, max(known))


def _said_of(notes: Sequence[Notes], labels: Sequence[str]) -> Iterator[str]:
    """Yield the operands' warnings; if only one of several runs has a warning, the run's label is put before it."""
    for remark in _union(each.remarks for each in notes):
        run = [label for each, label in zip(notes, labels, strict=True) if remark in each.remarks and not each.history]
        everywhere = all(remark in each.remarks for each in notes)
        yield f"{run[0]}: {remark}" if len(run) == 1 and not everywhere else remark


def _steps(notes: Sequence[Notes], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the steps that produced the operands, without repetitions; each operand's label marks its last step."""
    steps: list[str] = []
    for each, label in zip(notes, labels, strict=True):
        *before, last = each.history or ("",)
        steps += before
        if last:
            steps.append(last if label == last else f"{label} = {last}")
    return tuple(dict.fromkeys(steps))


def likenesses(labels: Sequence[str], alike: Sequence[Sequence[Alike]]) -> Iterator[str]:
    """Yield a text for each region that was matched by similarity; operands with the same region share a text."""
    found: dict[Alike, list[str]] = {}
    for label, pairs in zip(labels, alike, strict=True):
        for pair in pairs:
            found.setdefault(pair, []).append(label)
    for pair, (label, *others) in found.items():
        yield (
            f"matched by similarity: {_named(pair.right)} in {listed([label, *others])} corresponds to "
            f"{_named(pair.left)}"
        )


def listed(names: Iterable[str], most: int = 1) -> str:
    """Return the first ``most`` names as text, with the number of all others: ``a and 2 more``."""
    every = list(names)
    named, others = ", ".join(every[:most]), len(every[most:])
    return f"{named} and {others} more" if others else named


def _named(region: Region) -> str:
    within = f" in {region.function}" if region.function not in ("", region.name) else ""
    place = f" ({region.file}:{region.first_line})" if region.file and region.first_line else ""
    return f"{region.name}{within}{place}"


def _common(values: Iterable[_T], otherwise: _T) -> _T:
    """Return the value that all operands have in common, or ``otherwise``."""
    first, *others = values
    return first if all(each == first for each in others) else otherwise


def _union(values: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for each in values for text in each))


def _common_entries(values: Sequence[dict[str, str]]) -> dict[str, str]:
    return {key: value for key, value in values[0].items() if all(each.get(key) == value for each in values)}
