from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment

FOREIGN = Path(__file__).parents[2] / "data" / "foreign"


@pytest.fixture
def values() -> Callable[..., dict[str, list[float]]]:
    """Return a function that returns a metric's values by call path (``main/step``): a list by location.

    The values are exclusive, or inclusive if this is requested.
    """

    def give(experiment: Experiment, metric: str, *, inclusive: bool = False) -> dict[str, list[float]]:
        found = experiment.inclusive(metric) if inclusive else experiment.exclusive(metric)
        names: list[str] = []
        for path in experiment.call_paths:
            above = "" if path.parent is None else f"{names[path.parent]}/"
            names.append(f"{above}{path.region.name}")
        assert len(names) == len(set(names))
        return dict(zip(names, np.asarray(found).tolist(), strict=True))

    return give
