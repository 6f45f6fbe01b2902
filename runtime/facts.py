"""Facts about a run that its processes cannot record themselves, stored beside the shards until they are gathered."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from ..atomic_file import replacing
from ..errors import InputError

__all__ = ["FACTS_FILE", "RunFacts"]

FACTS_FILE: Final = "run.json"


@dataclass(frozen=True)
class RunFacts:
    """The stored facts.

    Attributes:
        command: The command line.
        status: The exit status of the command; None while it runs.
        ended: The time at which the command ended, in seconds of the wall clock; None while it runs.
        environment: The environment variables that are recorded.
        processors: The number of cores that this process may use.
        node: The name of this machine.
        max_overhead: The share of the busy time that probes may take; None if unknown.
        running: IDs of processes on this machine that were still running when the other processes' data were gathered.
        prices: The machine's times for single operations, if it was calibrated.
        calibrated: Where and when ``prices`` were measured.
        processor_use: The CPU use of this machine while the program ran, as in ``Notes``; empty if unknown.
        start: An identifier that differs for each start of ``run`` in the same folder; empty if not needed.
    """

    command: list[str] = field(default_factory=list)
    status: int | None = None
    ended: float | None = None
    environment: dict[str, str] = field(default_factory=dict)
    processors: int | None = None
    node: str = ""
    max_overhead: float | None = None
    running: list[int] = field(default_factory=list)
    prices: dict[str, float] = field(default_factory=dict)
    calibrated: dict[str, str] = field(default_factory=dict)
    processor_use: dict[str, float] = field(default_factory=dict)
    start: str = ""

    def write(self, shards: Path) -> None:
        """Write the facts to the folder of the shards."""
        with replacing(shards / FACTS_FILE) as stream:
            stream.write(json.dumps(asdict(self)).encode())

    @classmethod
    def read(cls, shards: Path) -> RunFacts:
        """Read the facts; return empty facts if a program was started without ``autoanalyzer run``."""
        try:
            return cls(**json.loads((shards / FACTS_FILE).read_text()))
        except (OSError, ValueError, TypeError):
            return cls()

    def check_start(self, shards: Path) -> None:
        """Check that no later start of ``run`` uses the folder, as when a job is requeued.

        Raises:
            InputError: A later start uses the folder.
        """
        if self.start and RunFacts.read(shards).start != self.start:
            raise InputError(
                f"{shards.parent}: a later run in this folder, or another analysis, has collected this run's data"
            )
