"""Build another tool's profile piece by piece, from call paths, which are identified by their regions, and values."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..call_path import CallPath
from ..cube.reader import MAX_VALUES
from ..experiment import Experiment, Location
from ..folding import in_order
from ..metric import COUNT_METRICS, STORED_METRICS, Metric
from ..notes import Notes
from ..region import Region
from ..severities import Severity

__all__ = ["Profile", "function"]

_Places = npt.NDArray[np.intp]

_OURS: Final = {each.name: each for each in STORED_METRICS}
_COUNTED: Final = frozenset(each.name for each in COUNT_METRICS)
_UNWRITABLE: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_UNNAMED: Final = "unnamed"
_MPI: Final = "MPI_"
_MACHINE: Final = "machine"
_MAX_DEPTH: Final = 5000  # maximum depth of call paths, the same as for XML elements
_MAX_LISTED: Final = 1_000_000  # maximum number of call paths, and of locations


def function(name: str, file: str = "", first_line: int = 0, last_line: int = 0) -> Region:
    """Return the region of a function; its name shows whether it is an MPI function."""
    return Region("mpi" if name.startswith(_MPI) else "function", name, file, name, 0, first_line, last_line)


def _written(text: str) -> str:
    """Replace characters that an experiment file cannot contain; names in damaged files may contain them."""
    return _UNWRITABLE.sub("\ufffd", text)


class Profile:
    """Collects values of metrics, exclusive along call paths; unset values are 0.

    Args:
        tool: The tool that wrote the file, such as ``Caliper 2.11.0``.

    Attributes:
        remarks: Warnings about the data.
        samples: Metric → the amount that one sample represents; see ``Notes``.
    """

    def __init__(self, tool: str) -> None:
        self._tool = tool.partition(" ")[0]
        self._source = f"imported:{tool}"
        self._metrics: dict[str, Metric] = {}
        self._paths: dict[tuple[int | None, Region, int | None], int] = {}
        self._call_paths: list[CallPath] = []
        self._depths: list[int] = []
        self._locations: dict[tuple[int, int], tuple[int, str]] = {}
        self._values: dict[str, tuple[array[int], array[int], array[float]]] = {}
        self.remarks: list[str] = []
        self.samples: dict[str, float] = {}

    def metric(
        self, name: str, unit: str = "", description: str = "", *, aggregation: str = "sum", source: str = ""
    ) -> str:
        """Define a metric unless it is already defined, and return its name.

        Args:
            name: Any name; characters that no file can contain are replaced. If autoanalyzer itself has a metric of
                this name, its unit and description are used instead of the other arguments.
            unit: The unit.
            description: The description.
            aggregation: ``sum``, ``min``, ``max`` or ``none``.
            source: The source; if empty, the tool that wrote the file.
        """
        name = _written(name).strip() or _UNNAMED
        if name in _COUNTED:  # our metrics exclude instructions inside MPI, which other tools do not count separately
            name = f"{self._tool}:{name}"
        if name in self._metrics:
            return name
        if name in _OURS:
            made = replace(_OURS[name], source=self._source)
        else:
            dtype = {"min": "MINDOUBLE", "max": "MAXDOUBLE"}.get(aggregation, "FLOAT")
            additive = aggregation != "none"
            made = Metric(name, unit, None, description, source or self._source, dtype=dtype, additive=additive)
        self._metrics[name] = made
        self._values[name] = array("q"), array("q"), array("d")
        return name

    def path(self, region: Region | str, parent: int | None = None, site: int | None = None) -> int:
        """Return the number of a call path, adding it if it is new.

        Args:
            region: The region, or the name of a function.
            parent: The parent's number; None for a root.
            site: The line of the call, if each line has its own call path.

        Raises:
            InputError: There are too many call paths, or they are too deep.
        """
        of = function(region) if isinstance(region, str) else region
        if not (of.name.isprintable() and of.file.isprintable() and of.function.isprintable()):
            of = of._replace(name=_written(of.name), file=_written(of.file), function=_written(of.function))
        key = parent, of, site
        if key not in self._paths:
            depth = 1 if parent is None else self._depths[parent] + 1
            if depth > _MAX_DEPTH or len(self._paths) >= _MAX_LISTED:
                most = f"at most {_MAX_LISTED} call paths"
                limit = f"call paths at most {_MAX_DEPTH} levels deep" if depth > _MAX_DEPTH else most
                raise InputError(f"expected {limit}, found more")
            self._paths[key] = len(self._call_paths)
            self._call_paths.append(CallPath(of, parent, site))
            self._depths.append(depth)
        return self._paths[key]

    def parent(self, path: int) -> int | None:
        """Return the parent of a call path; None for a root."""
        return self._call_paths[path].parent

    def chain(self, names: Sequence[str], parent: int | None = None) -> int | None:
        """Return the number of the call path that nested functions form below ``parent``; without any, ``parent``.

        Args:
            names: The names of the functions, outermost first.
            parent: The parent's number; None for a root.
        """
        for name in names:
            parent = self.path(name, parent)
        return parent

    def location(self, process: int, thread: int = 0, node: str = "node") -> int:
        """Return the number of a location, adding it if it is new.

        Raises:
            InputError: A number is negative or too large, or there are too many locations.
        """
        if not (0 <= process < 1 << 31 and 0 <= thread < 1 << 31):
            raise InputError(
                f"expected a rank and a thread number of at least 0, found rank {process}, thread {thread}"
            )
        if len(self._locations) >= _MAX_LISTED:
            raise InputError(f"expected at most {_MAX_LISTED} threads, found more")
        return self._locations.setdefault((process, thread), (len(self._locations), node))[0]

    def add(self, metric: str, path: int, location: int, value: float) -> None:
        """Add to a call path's exclusive value at a location; for minima and maxima, keep the smaller or larger value.

        Raises:
            InputError: The value is infinite or not a number.
        """
        if not np.isfinite(value):
            raise InputError(f"expected finite values of {metric}, found {value}")
        paths, locations, values = self._values[metric]
        paths.append(path)
        locations.append(location)
        values.append(value)

    def experiment(self, notes: Notes | None = None) -> Experiment:
        """Return the experiment, with locations in order of ranks and threads.

        Raises:
            InputError: There is no call path or no value, there are too many values, or the data are inconsistent.
        """
        if not self._call_paths or not any(len(values[0]) for values in self._values.values()):
            raise InputError("expected values of call paths, found none")
        size = len(self._metrics) * len(self._call_paths) * len(self._locations)
        if size > MAX_VALUES:
            raise InputError(f"expected at most {MAX_VALUES} values, found {size}")
        ordered = sorted(self._locations)
        column = np.empty(len(ordered), dtype=np.intp)
        for place, key in enumerate(ordered):
            column[self._locations[key][0]] = place
        nodes = {process: self._locations[process, thread][1] for process, thread in ordered[::-1]}
        notes = notes or Notes()
        metrics = [
            replace(each, parent=each.parent if each.parent in self._metrics else None)
            for each in sorted(
                self._metrics.values(), key=lambda each: [*_OURS].index(each.name) if each.name in _OURS else len(_OURS)
            )
        ]
        call_paths, row = in_order(self._call_paths)
        made = Experiment(
            metrics=metrics,
            call_paths=call_paths,
            locations=[Location(_MACHINE, nodes[process], process, thread) for process, thread in ordered],
            severities={each.name: self._severity(each, row, column) for each in metrics},
            notes=replace(notes, samples=self.samples, remarks=(*notes.remarks, *self.remarks)),
        )
        made.check()
        return made

    def _severity(self, metric: Metric, row: _Places, column: _Places) -> Severity:
        paths, locations, values = (np.array(each) for each in self._values[metric.name])
        shape = len(self._call_paths), len(self._locations)
        places = row[paths.astype(np.intp)], column[locations.astype(np.intp)]
        if metric.aggregation in ("min", "max"):
            worst = np.inf if metric.aggregation == "min" else -np.inf
            found = np.full(shape, worst)
            (np.minimum if metric.aggregation == "min" else np.maximum).at(found, places, values)
            found[found == worst] = np.nan
        else:
            found = np.zeros(shape)
            np.add.at(found, places, values)
            if metric.aggregation == "none":  # values cannot be combined, and an unset value is missing rather than 0
                count = np.zeros(shape, dtype=np.intp)
                np.add.at(count, places, 1)
                found[count != 1] = np.nan
        return found
