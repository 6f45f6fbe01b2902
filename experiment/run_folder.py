"""Where runs leave their data if nothing else is said. The compiler wrapper reads this first: it imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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
]

RUN_FOLDER: Final = "autoanalyzer-out"
EXPERIMENT_FILE: Final = "experiment.cube"
LARGE_EXPERIMENT_FILE: Final = "experiment.cubex"
PLAN_FILE: Final = "plan.toml"
TRACE_FILE: Final = "trace.npz"
POLICY_FILE: Final = "policy.json"
PURSUIT_FILE: Final = "pursuit.json"
COUNTING_TRACE_FILE: Final = "counting.trace.npz"
