"""What a verdict on scaling is worth: which planted faults it names, and what it invents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..program import Position, Printed
from .case import Truth

# Losses of no line, or of transfer, are neither found nor invented: nothing is planted there.
_NOT_JUDGED = ("not_explained", "transfer", "messages", "slow_core")
_WORTH = 0.02  # of the largest run: a smaller loss beside the planted ones is not held against a verdict


@dataclass(frozen=True)
class Planted:
    """A fault, and the places of which one is to be named."""

    truth: Truth
    places: tuple[Position, ...]


@dataclass(frozen=True)
class ScaledScore:
    """A verdict's worth.

    Attributes:
        planted: What was planted, the strongest first.
        found: For each, whether a loss names its place and cause.
        first: Whether the largest loss is the first planted fault; with two that are as strong, either.
        invented: Losses that nothing was planted for, with their shares of the largest run.
        sums: Whether the losses add up to what is lost, within 1 % of it.
        measured: For each fault, the share of the largest run that the losses at its place have.
        held: By metric, how far the prediction for the largest run is off, as a share; None without a model.
    """

    planted: tuple[Planted, ...]
    found: tuple[bool, ...]
    first: bool
    invented: tuple[tuple[str, float], ...]
    sums: bool
    measured: tuple[float, ...]
    held: dict[str, float | None]

    @property
    def right(self) -> bool:
        """Whether the first cause is right, and none is invented."""
        return self.first and not self.invented


def planted_in(truths: Sequence[Truth], printed: Printed) -> tuple[Planted, ...]:
    """Return the faults with their places: the loop, or the procedure that holds nothing else."""
    return tuple(
        Planted(each, tuple(_bare(place) for key in (each.loop, None) for place in printed.positions[each.phase, key]))
        for each in truths
    )


def scored(planted: Sequence[Planted], document: dict[str, Any]) -> ScaledScore:
    """Judge a verdict, which is the JSON of ``scale``."""
    whole = document["lost"]["of"]
    losses = [each for each in document["losses"] if each["rank_seconds"] > 0 and each["kind"] not in _NOT_JUDGED]
    found = tuple(any(_names(loss, each) for loss in losses) for each in planted)
    strongest = [each for each in planted if each.truth.strength == planted[0].truth.strength]
    invented = tuple(
        (f"{loss['kind']} {Path(loss['file']).name}:{loss['line']}", loss["rank_seconds"] / whole)
        for loss in losses
        if loss["rank_seconds"] >= _WORTH * whole and not any(_position(loss) in each.places for each in planted)
    )
    lost = document["lost"]["rank_seconds"]
    total = sum(each["rank_seconds"] for each in document["losses"])
    return ScaledScore(
        tuple(planted),
        found,
        not planted or (bool(losses) and any(_names(losses[0], each) for each in strongest)),
        invented,
        abs(total - lost) <= 0.01 * abs(lost),
        tuple(sum(_seconds_at(losses, each)) / whole for each in planted),
        dict(_held(document["predictions"])),
    )


def _seconds_at(losses: Iterable[dict[str, Any]], planted: Planted) -> Iterable[float]:
    return (each["rank_seconds"] for each in losses if _position(each) in planted.places)


def _held(predictions: Iterable[dict[str, Any]]) -> Iterable[tuple[str, float | None]]:
    for each in predictions:
        if each["measured"] is not None:
            yield each["metric"], None if each["predicted"] is None else each["predicted"] / each["measured"] - 1


def _names(loss: dict[str, Any], planted: Planted) -> bool:
    return loss["kind"] in planted.truth.named and _position(loss) in planted.places


def _position(loss: dict[str, Any]) -> Position:
    return Position(Path(loss["file"]).name, loss["line"])


def _bare(position: Position) -> Position:
    """Folders do not count."""
    return Position(Path(position.file).name, position.line)
