"""The output of ``info`` on an experiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.file_use import FileUse
from autoanalyzer.view.contents import contents_lines


def test_the_files_that_took_longest_are_named() -> None:
    files = (
        FileUse("/data/in", 4, 12000, 4_000_000, 0, 1.5),
        *(FileUse(f"/data/{number}", 1, 1, 0, 10, 0.001) for number in range(11)),
    )
    experiment = Experiment(
        metrics=[Metric("visits", "occ")],
        call_paths=[CallPath(Region("function", "main", "a.c", "main"))],
        locations=[Location("machine", "node", 0)],
        severities={"visits": np.ones((1, 1))},
        notes=Notes(files=files),
    )
    lines = [line for line in contents_lines(experiment, Path("x.cube")) if line.startswith("file ")]
    assert lines[0] == "file        1.5 s, 4 MB read, 0 B written, 1.2e4 calls by 4 processes   /data/in"
    assert lines[1].endswith("1 call by 1 process   /data/0")
    assert len(lines) == 10
