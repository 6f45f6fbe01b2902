"""Write folded stacks: one line per stack, with its frames, separated by semicolons, and its value.

Brendan Gregg's flamegraph.pl, inferno and speedscope read them.
"""

from __future__ import annotations

from pathlib import Path

from ...atomic_file import replacing
from ..experiment import Experiment
from ..metric import Metric
from .call_stacks import CallStacks
from .part import titles
from .weights import weights

__all__ = ["write_folded"]


def write_folded(experiment: Experiment, path: Path, metric: Metric, *, together: bool) -> None:
    """Write a line for each call path and location whose value is not 0; the rank is the outermost frame.

    Args:
        experiment: The experiment to write.
        path: The file, which is replaced only when the new file is complete.
        metric: The metric whose values, rounded to integers, are written.
        together: Whether to add up all locations and omit the frame for the rank.

    Raises:
        InputError: A value is below 0 or too large, or the file cannot be written.
    """
    stacks, title = CallStacks(experiment.call_paths), titles(experiment)
    names = [_frame(region.name) for region in stacks.frames]
    with replacing(path) as stream:
        for place, found in weights(experiment, metric, together=together):
            outermost = title(place)
            for each in stacks.order[found[stacks.order] > 0].tolist():
                line = ";".join([*outermost, *(names[frame] for frame in stacks.frames_of(each))])
                stream.write(f"{line} {found[each]}\n".encode(errors="replace"))


def _frame(name: str) -> str:
    """Replace characters in a name that would end a frame or a line."""
    return "".join(each if each.isprintable() else "\ufffd" for each in name).replace(";", ":") or "?"
