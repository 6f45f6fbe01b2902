"""Find the regions that belong to the program, and the regions that a second round can open or has opened."""

from __future__ import annotations

import re
from typing import Final

from ...experiment import CallPath, Experiment, Region
from ...experiment.region import CALL_KINDS

__all__ = ["can_be_opened", "is_block", "is_built", "is_of_a_library"]

_CALLS_OF_MPI: Final = ("MPI_", "PMPI_")
_LIBRARY: Final = re.compile(r"\[[^\[\]]+\.(so|dylib|dll)[^\[\]]*\]$")  # how profiles name a function's library


def can_be_opened(experiment: Experiment, path: int) -> bool:
    """Return whether a second round could show more: the region contains no other region, and was not opened before.

    Opening a function divides it into blocks, or turns its loops into regions.
    """
    region = experiment.call_paths[path].region
    if not is_built(experiment, path) or region.kind in CALL_KINDS:
        return False
    if any(experiment.call_paths[each].region.kind not in CALL_KINDS for each in experiment.children[path]):
        return False
    own = (region.file, region.function or region.name)
    of_function = (each for each in experiment.call_paths if (each.region.file, each.region.function) == own)
    return not any(is_block(each.region) or _is_inner_loop(experiment, each) for each in of_function)


def _is_inner_loop(experiment: Experiment, path: CallPath) -> bool:
    above = None if path.parent is None else experiment.call_paths[path.parent].region
    inner = above is not None and path.region.kind == above.kind == "loop"
    return inner and above is not None and (path.region.file, path.region.function) == (above.file, above.function)


def is_built(experiment: Experiment, path: int) -> bool:
    """Return whether a region has compiled source code, unlike Python code and calls known only by their address.

    An MPI call has source code only if the root has a file. In programs without probes, the root is the executable, and
    MPI calls are numbered in the order in which they were made.
    """
    region, root = (experiment.call_paths[each].region for each in (path, [path, *experiment.ancestors(path)][-1]))
    if is_of_a_library(experiment, path):
        return False
    return bool(region.file) and not region.file.endswith(".py") and (region.kind != "mpi" or bool(root.file))


def is_of_a_library(experiment: Experiment, path: int) -> bool:
    """Return whether a region is outside the program's source: below an MPI call, or in a shared library.

    An MPI call itself belongs to the program, and so does everything that our own probes measured, because only the
    program contains probes.
    """
    if not any("imported:" in each.source for each in experiment.metrics):
        return False
    paths = experiment.call_paths
    if any(paths[each].region.name.startswith(_CALLS_OF_MPI) for each in experiment.ancestors(path)):
        return True
    around = (paths[each].region for each in (path, *experiment.ancestors(path)))
    function = next((each for each in around if each.kind != "loop"), paths[path].region)
    return bool(_LIBRARY.search(function.name))


def is_block(region: Region) -> bool:
    """Return whether a region is a block from a split, such as ``block@41``, and can be split again."""
    return region.kind == "user" and region.name.startswith("block@")
