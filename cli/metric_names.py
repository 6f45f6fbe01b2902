"""Names of metrics on the command line."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..analyze.formula import Formula, nearest
from ..errors import UsageError

__all__ = ["check_names", "metric_names"]


def metric_names(words: str | None) -> list[str] | None:
    """Read ``a,b``; a name with a comma in it can't be given. None is all metrics.

    Raises:
        UsageError: There is no name.
    """
    if words is None:
        return None
    names = [word.strip() for word in words.split(",") if word.strip()]
    if not names:
        raise UsageError(f"--metrics {words!r}: names of metrics wanted")
    return names


def check_names(names: Sequence[str] | None, derived: Sequence[Formula], there: Collection[str]) -> None:
    """Compare what is asked for with the metrics that are there.

    Raises:
        UsageError: A metric does not exist, or a derived one has the name of another.
    """
    known = list(there)
    for formula in derived:
        if formula.name in known:
            raise UsageError(f"--derive {formula.name}={formula.text}: a new name wanted, found that of a metric")
        for name in formula.metrics:
            if name not in known:
                near = nearest(name, known)
                raise UsageError(f"--derive {formula.name}={formula.text}: no metric {name!r}; did you mean {near}?")
        known.append(formula.name)
    for name in names or ():
        if name not in known:
            raise UsageError(f"--metrics: no metric {name!r}; did you mean {nearest(name, known)}?")
