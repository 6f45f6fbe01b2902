"""Writing an experiment as CUBE 3 XML, which the viewers of other tools open too.

What CUBE has no element for goes where CUBE allows free text: a region's ``descr`` holds its descriptor, and
``attr`` elements hold the notes and the sources of the metrics.
"""

from __future__ import annotations

import gzip
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from lxml import etree

from ...atomic_file import replacing
from ...errors import InputError
from ..experiment import Experiment, Location
from ..region import Region
from ..severities import Severity
from ..topology import Topology
from .head import FORMAT_VERSION, NOT_ADDITIVE_KEY, NOTES_KEY, SOURCE_KEY, VERSION_KEY
from .numbers import row_text

__all__ = ["write_cube"]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_CLOSE: Final = -1


def write_cube(experiment: Experiment, path: Path) -> None:
    """Write ``path`` whole or not at all, packed if its name ends in ``.gz``.

    Raises:
        InputError: The folder does not exist or cannot be written, a value is infinite, a metric's name would be read
            back as another, or there are no locations.
    """
    if not experiment.locations:
        raise InputError(f"{path}: expected an experiment with at least one process, found none")
    for metric in experiment.metrics:
        if _printable(metric.name).strip() != metric.name:
            raise InputError(
                f"{path}: expected names of metrics without control characters, and without white space at their ends, "
                f"found {metric.name!r}; give it another name"
            )
    with (
        replacing(path) as file,
        _packing(file, path) as stream,
        _first_failure(),
        etree.xmlfile(stream, encoding="UTF-8") as xml,
    ):
        xml.write_declaration()
        with xml.element("cube", version="3.0"):
            for key, value in _attributes(experiment):
                _element(xml, "attr", key=key, value=value)
            _write_metrics(xml, experiment)
            _write_program(xml, experiment)
            _write_system(xml, experiment)
            with xml.element("severity"):
                xml.flush()
                for number, metric in enumerate(experiment.metrics):
                    severity = experiment.exclusive(metric.name)
                    if np.isinf(severity).any():
                        raise InputError(f"{path}: expected finite values of {metric.name}, found infinity")
                    _write_matrix(stream, number, severity)


@contextmanager
def _packing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if not path.name.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        yield packed  # type: ignore[misc]


@contextmanager
def _first_failure() -> Iterator[None]:
    """Raise what went wrong; after that lxml complains of the elements that were left open."""
    try:
        yield
    except etree.LxmlSyntaxError as error:
        first: BaseException = error
        while isinstance(first, etree.LxmlSyntaxError) and first.__context__:
            first = first.__context__
        raise first from None


def _attributes(experiment: Experiment) -> Iterable[tuple[str, str]]:
    yield VERSION_KEY, FORMAT_VERSION
    yield NOTES_KEY, experiment.notes.to_json()
    for metric in experiment.metrics:
        yield SOURCE_KEY + metric.name, metric.source
        if not metric.additive:
            yield NOT_ADDITIVE_KEY + metric.name, ""


def _element(xml: Any, tag: str, text: str | None = None, **attributes: str) -> None:
    element = etree.Element(tag, {key: _printable(value) for key, value in attributes.items()})
    element.text = None if text is None else _printable(text)
    element.tail = "\n"
    xml.write(element)


def _write_metrics(xml: Any, experiment: Experiment) -> None:
    metrics = experiment.metrics
    numbers = {metric.name: number for number, metric in enumerate(metrics)}
    forest = _Forest(None if metric.parent is None else numbers[metric.parent] for metric in metrics)
    with xml.element("metrics"):
        for number in forest.walk(xml, "metric", lambda number: {"id": str(number)}):
            metric = metrics[number]
            _element(xml, "disp_name", metric.display or metric.name)
            _element(xml, "uniq_name", metric.name)
            _element(xml, "dtype", metric.dtype)
            _element(xml, "uom", metric.unit)
            _element(xml, "url")
            _element(xml, "descr", metric.description)
    xml.write("\n")


def _write_program(xml: Any, experiment: Experiment) -> None:
    paths = experiment.call_paths
    numbers: dict[Region, int] = {}
    for path in paths:
        numbers.setdefault(path.region, len(numbers))

    def attributes(number: int) -> dict[str, str]:
        path = paths[number]
        found = {"id": str(number), "calleeId": str(numbers[path.region])}
        if path.site is not None:
            caller = path.region if path.parent is None else paths[path.parent].region
            found |= {"line": str(path.site), "mod": _printable(caller.file)}
        return found

    with xml.element("program"):
        for region, number in numbers.items():
            place = {"mod": _printable(region.file), "begin": str(region.first_line), "end": str(region.last_line)}
            with xml.element("region", id=str(number), **place):
                _element(xml, "name", region.name)
                _element(xml, "url")
                _element(xml, "descr", region.descriptor)
            xml.write("\n")
        for _ in _Forest(path.parent for path in paths).walk(xml, "cnode", attributes):
            pass
    xml.write("\n")


class _Forest:
    """Elements in elements, written without recursion: a forest may be deeper than Python's stack."""

    def __init__(self, parents: Iterable[int | None]) -> None:
        self._children: dict[int | None, list[int]] = {}
        for number, parent in enumerate(parents):
            self._children.setdefault(parent, []).append(number)

    def walk(self, xml: Any, tag: str, attributes: Callable[[int], dict[str, str]]) -> Iterator[int]:
        """Open an element for each node, give the node so that its content can be written, and close it again."""
        pending = self._children.get(None, [])[::-1]
        enclosing: list[Any] = []
        while pending:
            number = pending.pop()
            if number < 0:
                enclosing.pop().__exit__(None, None, None)
                continue
            element = xml.element(tag, **attributes(number))
            element.__enter__()
            enclosing.append(element)
            yield number
            pending.append(_CLOSE)
            pending.extend(reversed(self._children.get(number, [])))


def _write_system(xml: Any, experiment: Experiment) -> None:
    locations = experiment.locations
    nodes = itertools.count()
    processes = itertools.count()
    with xml.element("system"):
        ordered = sorted(range(len(locations)), key=lambda index: (locations[index], index))
        of = locations.__getitem__
        for machine_id, (machine, on_machine) in enumerate(itertools.groupby(ordered, lambda i: of(i).machine)):
            with xml.element("machine", Id=str(machine_id)):
                _element(xml, "name", machine)
                for node, on_node in itertools.groupby(on_machine, lambda i: of(i).node):
                    with xml.element("node", Id=str(next(nodes))):
                        _element(xml, "name", node)
                        for process, threads in itertools.groupby(on_node, lambda i: of(i).process):
                            with xml.element("process", Id=str(next(processes))):
                                _element(xml, "name", f"Process {process}")
                                _element(xml, "rank", str(process))
                                for index in threads:
                                    _write_thread(xml, index, of(index).thread)
        _write_topologies(xml, experiment.topologies, locations)
    xml.write("\n")


def _write_thread(xml: Any, number: int, rank: int) -> None:
    with xml.element("thread", Id=str(number)):
        _element(xml, "name", f"Thread {rank}")
        _element(xml, "rank", str(rank))


def _write_topologies(xml: Any, topologies: Sequence[Topology], locations: Sequence[Location]) -> None:
    if not topologies:
        return
    numbers = {(place.process, place.thread): str(number) for number, place in enumerate(locations)}
    with xml.element("topologies"):
        for topology in topologies:
            name = {"name": _printable(topology.name)} if topology.name else {}
            with xml.element("cart", ndims=str(len(topology.dimensions)), **name):
                for title, size, periodic in topology.dimensions:
                    name = {"name": title} if title else {}
                    _element(xml, "dim", size=str(size), periodic=str(periodic).lower(), **name)
                for place, coordinates in topology.coordinates.items():
                    _element(xml, "coord", " ".join(map(str, coordinates)), thrdId=numbers[place])


def _write_matrix(stream: IO[bytes], metric: int, severity: Severity) -> None:
    """Write one metric; a call path that is 0 everywhere is left out, as CUBE allows."""
    stream.write(b'<matrix metricId="%d">' % metric)
    for path in range(len(severity)):
        row = severity[path]
        if row.any() or np.signbit(row).any():
            stream.write(b'<row cnodeId="%d">%b</row>\n' % (path, row_text(row)))
    stream.write(b"</matrix>\n")


def _printable(text: str) -> str:
    """Replace what XML cannot hold (control characters, bytes of an unknown encoding) by U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)
