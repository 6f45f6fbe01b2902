"""Write an experiment as CUBE 3 XML, which the viewers of other tools can also open."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from ...atomic_file import replacing
from ...errors import InputError
from ..experiment import Experiment
from ..metric import Metric
from ..severities import Severity
from .cubex_layout import NOTHING
from .head_writer import CUBE_3, MetricStorage, check_writable, cube_element, write_head
from .numbers import row_text
from .value_types import TYPES, stored_rows, typed

__all__ = ["write_cube"]


def write_cube(experiment: Experiment, path: Path) -> None:
    """Write ``path``, completely or not at all; the file is gzipped if its name ends in ``.gz``.

    Raises:
        InputError: The folder does not exist or cannot be written, a value is infinite, a metric's name would be read
            back as a different name, or there are no locations.
    """
    check_writable(experiment, path)
    storage = {metric.name: MetricStorage(_type(experiment, metric)) for metric in experiment.metrics}
    with replacing(path) as file, _packing(file, path) as stream, cube_element(stream, CUBE_3) as xml:
        write_head(xml, stream, experiment, CUBE_3, storage)
        with xml.element("severity"):
            xml.flush()
            for number, metric in enumerate(experiment.metrics):
                severity = experiment.exclusive(metric.name)
                if np.isinf(severity).any():
                    raise InputError(f"{path}: expected finite values of {metric.name}, found infinity")
                # Omitted rows mean 0, but tools that convert to CUBE 4 would treat an omitted minimum as missing.
                rows = range(len(severity)) if metric.aggregation in NOTHING else stored_rows(severity)
                _write_matrix(stream, number, severity, rows)


def _type(experiment: Experiment, metric: Metric) -> str:
    """Return the type in which to store a metric's values, which depends on the values only for integer metrics."""
    return metric.dtype if TYPES.get(metric.dtype) == "f8" else typed(experiment.exclusive(metric.name), metric)[0]


@contextmanager
def _packing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if not path.name.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        yield packed  # type: ignore[misc]


def _write_matrix(stream: IO[bytes], metric: int, severity: Severity, rows: Iterable[int]) -> None:
    stream.write(b'<matrix metricId="%d">' % metric)
    for path in rows:
        stream.write(b'<row cnodeId="%d">%b</row>\n' % (path, row_text(severity[path])))
    stream.write(b"</matrix>\n")
