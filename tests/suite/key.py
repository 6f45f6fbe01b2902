"""What a verdict on a run is compared with, and the file beside the run that keeps it.

It is kept whole, as a generator that was mended draws other programs from the same seeds.
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
        seed: that of the case.
        language: of the sources.
        cured: whether the faults are none in this program.
        counted: whether counts were taken.
        truths: the faults of the case.
        places: for each of them the places of which one has to be named; the first is the fault's own.
        steps: the loop over the steps.
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
        """Say what a verdict on a case has to say."""
        places = tuple(_places(truth, printed) for truth in case.truths)
        return cls(case.seed, case.language, cured, counted, case.truths, places, _bare(printed.steps))

    @property
    def planted(self) -> tuple[Truth, ...]:
        """The faults that the program has."""
        return () if self.cured else self.truths

    def save(self, folder: Path) -> None:
        """Keep it beside a run."""
        (folder / NAME).write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Key:
        """Read what was kept."""
        fields: dict[str, Any] = json.loads((folder / NAME).read_text())
        fields["truths"] = tuple(Truth(**_frozen(each)) for each in fields["truths"])
        fields["places"] = tuple(tuple(Position(**each) for each in places) for places in fields["places"])
        return cls(**{**fields, "steps": Position(**fields["steps"])})


def _places(truth: Truth, printed: Printed) -> tuple[Position, ...]:
    own = printed.positions[truth.phase, truth.loop]
    return tuple(map(_bare, (*own, *(printed.positions[truth.phase, None] if truth.alone else ()))))


def _bare(position: Position) -> Position:
    """Folders do not count."""
    return Position(Path(position.file).name, position.line)


def _frozen(value: Any) -> Any:
    """Make tuples of lists, as records have them."""
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
