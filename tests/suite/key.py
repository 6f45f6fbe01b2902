"""The truth with which a verdict on a run is compared, and the file beside the run that stores it.

All of it is stored, because a generator that was changed makes other programs from the same seeds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .case import Case
from .faults import Truth
from .program import Position, Printed

NAME = "case.json"


@dataclass(frozen=True)
class Key:
    """The truth about a program.

    Attributes:
        seed: The seed of the case.
        language: The language of the sources.
        cured: Whether this program is the one without the faults.
        counted: Whether counts were measured.
        truths: The faults of the case.
        places: For each fault, the positions of which a verdict must name one; the first is the fault's own.
        steps: The position of the loop over the steps.
    """

    seed: int
    language: str
    cured: bool
    counted: bool
    truths: tuple[Truth, ...]
    places: tuple[tuple[Position, ...], ...]
    steps: Position

    @classmethod
    def of(cls, case: Case, printed: Printed, *, cured: bool, counted: bool) -> Key:
        """Return the truth about a program of a case; ``counted``: whether counts were measured."""
        places = tuple(_places(truth, printed) for truth in case.truths)
        return cls(case.seed, case.language, cured, counted, case.truths, places, _bare(printed.steps))

    @property
    def planted(self) -> tuple[Truth, ...]:
        """The faults that the program has."""
        return () if self.cured else self.truths

    def save(self, folder: Path) -> None:
        """Write the truth to a run's folder."""
        (folder / NAME).write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Key:
        """Read the truth from a run's folder."""
        fields: dict[str, Any] = json.loads((folder / NAME).read_text())
        fields["truths"] = tuple(Truth(**_frozen(each)) for each in fields["truths"])
        fields["places"] = tuple(tuple(Position(**each) for each in places) for places in fields["places"])
        return cls(**{**fields, "steps": Position(**fields["steps"])})


def _places(truth: Truth, printed: Printed) -> tuple[Position, ...]:
    own = printed.positions[truth.phase, truth.loop]
    return tuple(map(_bare, (*own, *(printed.positions[truth.phase, None] if truth.alone else ()))))


def _bare(position: Position) -> Position:
    """Return a position without the folders of its file."""
    return Position(Path(position.file).name, position.line)


def _frozen(value: Any) -> Any:
    """Return a value from JSON with tuples instead of lists."""
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
