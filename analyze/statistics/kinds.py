"""What a metric is about, from its name: computation, memory, waiting, communication, file I/O or time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

__all__ = ["kind_of", "named_by_kinds"]

# The first pattern that is found in the name, in lower case, tells; < stands where no letter is before. Names of
# POWER3's events (paper 003, appendix A), of PAPI, of Linux's perf, and ours.
_KINDS: Final = (
    ("communication", r"<mpi|<sent(?![a-z])|<send|<recv|<receiv|messag|<comm(?![a-z])|communicat|packet"),
    ("file I/O", r"<io_|_io$|<file|<disk|<posix"),
    ("waiting", r"idle|stall|_stl|stl_|wait|[0o]inst|barrier|<sync"),
    ("memory", r"miss|cache|tlb|<mem(?!b)|^l[123]|_l[123]|llc|biu|dcm|icm|tcm|<page|bandwidth"),
    ("computation", r"inst|_ins|uops|<fp|fma|flop|fxu|fpu|<vec|simd|branch|<br_|_ld_|_st_|load|store|<int_|<ipc|<cpi"),
    ("time", r"time|cyc|clock|ticks"),
)


def kind_of(metric: str) -> str | None:
    """Tell what a metric is about; None if its name does not say."""
    name = metric.lower()
    return next((kind for kind, pattern in _KINDS if re.search(pattern.replace("<", "(?<![a-z])"), name)), None)


def named_by_kinds(metrics: Sequence[str]) -> str:
    """Name a group of metrics, the weightiest first, by the kind of most of them: ``memory``, ``time and waiting``."""
    kinds = Counter(kind for kind in map(kind_of, metrics) if kind)
    first, *others = kinds.most_common(2) or [("", 0)]
    if not first[0]:
        return metrics[0]
    if 2 * first[1] > len(metrics) or not others:
        return first[0]
    return f"{first[0]} and {others[0][0]}"
