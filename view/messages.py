"""Print the communication matrix of a run as a table, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..experiment import Experiment
from ..experiment.messages import Messages
from .csv_rows import write_rows
from .lines import print_lines
from .table import print_table
from .units import amount, many

__all__ = ["NOT_INCLUDED", "known_messages", "print_messages", "why_none", "write_messages_csv", "write_messages_json"]

SCHEMA: Final = "autoanalyzer.messages/1"
NOT_INCLUDED: Final = "collective calls and one-sided transfers are not included"


def known_messages(experiment: Experiment, file: Path) -> Messages:
    """Return an experiment's communication matrix.

    Raises:
        InputError: The experiment has no communication matrix.
    """
    if experiment.notes.messages is None:
        raise InputError(f"{file}: expected a communication matrix, found none: {why_none(experiment)}")
    return experiment.notes.messages


def why_none(experiment: Experiment) -> str:
    """Return why an experiment has no communication matrix."""
    if experiment.notes.is_difference:
        return "one of the two runs has none, or the runs have different numbers of ranks"
    return (
        "the ranks exchanged no point-to-point messages, or the file was made by another tool, an older version, or an "
        "operation that drops the matrix, such as diff --ratio"
    )


def print_messages(messages: Messages, *, is_difference: bool = False) -> None:
    """Print a table with a row per pair of ranks, most bytes first; for a difference, the largest change first."""
    rows = [
        (
            messages.name(sender),
            messages.name(receiver),
            amount(count, "occ"),
            amount(size, "bytes"),
            *(amount(wait, "sec") for wait in waits),
        )
        for sender, receiver, count, size, *waits in _pairs(messages)
    ]
    titles = ["sender", "receiver", "messages", "bytes", *(["receiver waits"] if messages.waits is not None else [])]
    print_table(titles, rows, range(len(titles)))
    count, size = amount(float(messages.messages.sum()), "occ"), amount(float(messages.bytes.sum()), "bytes")
    whose = f"{many(messages.ranks, 'rank')}{f', in blocks of {messages.per_block}' if messages.per_block > 1 else ''}"
    noun = "message" if count == "1" else "messages"
    said = f"{count} {noun}, {size}, in point-to-point calls between {many(len(messages), 'pair')} of {whose}"
    print_lines([f"{'before minus after: ' * is_difference}{said}", NOT_INCLUDED])


def write_messages_csv(messages: Messages, stream: TextIO) -> None:
    """Write CSV with a row per pair of ranks, most bytes first."""
    titles = ["sender", "receiver", "messages", "bytes", *(["wait (s)"] if messages.waits is not None else [])]
    rows = (
        [messages.name(sender), messages.name(receiver), *map(_number, rest)]
        for sender, receiver, *rest in _pairs(messages)
    )
    write_rows([titles, *rows], stream)


def write_messages_json(messages: Messages, file: Path, stream: TextIO, *, is_difference: bool = False) -> None:
    """Write JSON with an object per pair of ranks or blocks of ranks, most bytes first.

    A block is identified by its first rank.
    """
    pairs: list[dict[str, Any]] = [
        {
            "sender": sender * messages.per_block,
            "receiver": receiver * messages.per_block,
            "messages": _number(count),
            "bytes": _number(size),
            "wait_seconds": waits[0] if waits else None,
        }
        for sender, receiver, count, size, *waits in _pairs(messages)
    ]
    head = {
        "schema": SCHEMA,
        "experiment": str(file),
        "difference": is_difference,
        "ranks": messages.ranks,
        "ranks_per_block": messages.per_block,
    }
    stream.write(f"{json.dumps({**head, 'pairs': pairs}, indent=1)}\n")


def _number(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _pairs(messages: Messages) -> Iterator[tuple[Any, ...]]:
    """Yield, for each pair, sender, receiver, messages, bytes and, if known, the receiver's wait; most bytes first."""
    sizes = [-np.abs(each) for each in (messages.waits, messages.messages, messages.bytes) if each is not None]
    order = np.lexsort((messages.receivers, messages.senders, *sizes))
    columns: list[npt.NDArray[Any]] = [messages.senders, messages.receivers, messages.messages, messages.bytes]
    columns += [messages.waits] if messages.waits is not None else []
    return zip(*(each[order].tolist() for each in columns), strict=True)
