"""Score a verdict on scaling: which planted faults it names, and which losses it invents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..program import Position, Printed
from .case import Truth

_REST = "not_explained"
# Kinds of losses that are not judged: no fault of these kinds is planted, but a busy machine causes such losses.
_NOT_JUDGED = (_REST, "transfer", "messages", "slow_core")
_WORTH = 0.02  # share of the largest run; smaller losses do not count as invented


@dataclass(frozen=True)
class Planted:
    """A fault, and the positions of which a verdict must name one."""

    truth: Truth
    places: tuple[Position, ...]


@dataclass(frozen=True)
class ScaledScore:
    """The score of a verdict.

    Attributes:
        planted: The planted faults, the strongest first.
        found: For each fault, whether a loss has its position and one of its kinds.
        first: Whether the largest loss is the strongest fault, or one of several that are as strong.
        hedged: Whether the verdict is uncertain about the largest loss, or names none.
        ahead: Kinds of losses that are not judged, and larger than the largest loss that is.
        invented: Losses where no fault was planted, as text, with their shares of the largest run; uncertain ones have
            a question mark.
        unexplained: The part of the loss that is not explained, as a share of the largest run; 0 if it is negative.
        mode: Strong or weak scaling; all programs divide the same work.
        measured: For each fault, the share of the largest run that is lost at its positions.
        held: Metric → relative error of the prediction for the largest run; None without a model.
    """

    planted: tuple[Planted, ...]
    found: tuple[bool, ...]
    first: bool
    hedged: bool
    ahead: tuple[str, ...]
    invented: tuple[tuple[str, float], ...]
    unexplained: float
    mode: str
    measured: tuple[float, ...]
    held: dict[str, float | None]

    @property
    def right(self) -> bool:
        """Whether the largest loss and the mode are right, and no loss is invented."""
        return self.first and self.mode == "strong" and not self.invented


def planted_in(truths: Sequence[Truth], printed: Printed) -> tuple[Planted, ...]:
    """Return the faults with their positions: the loop, and the procedure, which contains no other loop."""
    return tuple(
        Planted(each, tuple(_bare(place) for key in (each.loop, None) for place in printed.positions[each.phase, key]))
        for each in truths
    )


def scored(planted: Sequence[Planted], document: dict[str, Any]) -> ScaledScore:
    """Score a verdict, which is the parsed JSON output of ``autoanalyzer scale``."""
    whole = document["lost"]["of"]
    losses = [each for each in document["losses"] if each["rank_seconds"] > 0 and each["kind"] not in _NOT_JUDGED]
    found = tuple(any(_names(loss, each) for loss in losses) for each in planted)
    strongest = [each for each in planted if each.truth.strength == planted[0].truth.strength]
    invented = tuple(
        (f"{loss['kind']}{'?' * loss['uncertain']} {_position(loss)}", loss["rank_seconds"] / whole)
        for loss in losses
        if loss["rank_seconds"] >= _WORTH * whole and not any(_position(loss) in each.places for each in planted)
    )
    largest = losses[0]["rank_seconds"] if losses else 0.0
    unexplained = sum(each["rank_seconds"] for each in document["losses"] if each["kind"] == _REST)
    return ScaledScore(
        tuple(planted),
        found,
        first=not planted or (bool(losses) and any(_names(losses[0], each) for each in strongest)),
        hedged=not losses or losses[0]["uncertain"],
        ahead=tuple(
            each["kind"]
            for each in document["losses"]
            if each["kind"] in _NOT_JUDGED and each["kind"] != _REST and each["rank_seconds"] > largest
        ),
        invented=invented,
        unexplained=max(unexplained, 0.0) / whole,
        mode=document["mode"],
        measured=tuple(sum(_seconds_at(losses, each)) / whole for each in planted),
        held=dict(_held(document["predictions"])),
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
    """Return a position without the folders of its file."""
    return Position(Path(position.file).name, position.line)
