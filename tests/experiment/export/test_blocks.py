"""Large experiments are written in blocks: the file is the same, and no metric is in memory as a whole."""

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, experiment, load, save
from autoanalyzer.experiment.export import EXPORTED, export


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("suffix", EXPORTED)
def test_blocks_make_the_same_file(suffix, together, real, tmp_path, monkeypatch):
    save(real, tmp_path / "a.cubex")
    export(real, tmp_path / f"whole{suffix}", together=together)
    monkeypatch.setattr(experiment, "_WHOLE", 0)
    monkeypatch.setattr(experiment, "_BLOCK", 2 * len(real.call_paths))
    large = load(tmp_path / "a.cubex")
    assert len(large.location_blocks()) == 2
    monkeypatch.setattr(Experiment, "exclusive", _of_a_part(Experiment.exclusive))
    export(large, tmp_path / f"blocks{suffix}", together=together)
    whole, blocks = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("whole", "blocks"))
    if suffix == ".jsonl":  # all metrics of a block, then the next block
        whole, blocks = (sorted(each.splitlines()) for each in (whole, blocks))
    assert whole == blocks


def _of_a_part(exclusive):
    def checked(self, metric: str) -> np.ndarray:
        assert self.is_part
        return exclusive(self, metric)

    return checked
