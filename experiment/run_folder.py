"""The names of a run's folder and its files. The compiler wrapper imports this module first, so it imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Final

__all__ = [
    "COUNTING_TRACE_FILE",
    "EXPERIMENT_FILE",
    "LARGE_EXPERIMENT_FILE",
    "PLAN_FILE",
    "POLICY_FILE",
    "PURSUIT_FILE",
    "RUN_FOLDER",
    "TRACE_FILE",
    "experiment_of",
]

RUN_FOLDER: Final = "autoanalyzer-out"
EXPERIMENT_FILE: Final = "experiment.cube"
LARGE_EXPERIMENT_FILE: Final = "experiment.cubex"
PLAN_FILE: Final = "plan.toml"
TRACE_FILE: Final = "trace.npz"
POLICY_FILE: Final = "policy.json"
PURSUIT_FILE: Final = "pursuit.json"
COUNTING_TRACE_FILE: Final = "counting.trace.npz"


def experiment_of(folder: Path) -> Path:
    """Return a run's experiment file: the newer of the two possible files, or the usual one if neither exists."""
    small, large = folder / EXPERIMENT_FILE, folder / LARGE_EXPERIMENT_FILE
    if not large.exists():
        return small
    return small if small.exists() and small.stat().st_mtime_ns > large.stat().st_mtime_ns else large
