"""Write the part of a CUBE 3 or CUBE 4 file before the severities: attributes, metrics, program and system.

Data for which CUBE has no element are stored where CUBE allows free text: a region's ``descr`` contains its descriptor,
and ``attr`` elements contain the notes and the sources of the metrics.

The CUBE tools accept XML only in a certain form: double quotes, ``<url></url>`` rather than ``<url/>``, a topology's
name before its size, and at least one coordinate in each topology.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, Final

from lxml import etree

from ...errors import InputError
from ..experiment import Experiment, Location
from ..metric import Metric
from ..region import Region
from ..topology import Topology
from .head import (
    DTYPE_KEY,
    FORMAT_VERSION,
    MESSAGES_KEY,
    NOT_ADDITIVE_KEY,
    NOTES_KEY,
    SAMPLES_KEY,
    SOURCE_KEY,
    VERSION_KEY,
)

__all__ = ["CUBE_3", "CUBE_4", "Dialect", "MetricStorage", "check_writable", "cube_element", "write_head"]

_DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_CLOSE: Final = -1


@dataclass(frozen=True, slots=True)
class MetricStorage:
    """How a file stores a metric's values: the type and, in CUBE 4, whether they are inclusive."""

    dtype: str
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of the system: the tag of its elements and, in CUBE 4, the tag and text of the child with its class."""

    tag: str
    kind: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The names in which CUBE 3 and CUBE 4 differ."""

    version: str
    machine: _Level
    node: _Level
    process: _Level
    thread: _Level
    place_of: str  # the attribute that names the thread in a coordinate


CUBE_3: Final = Dialect("3.0", _Level("machine"), _Level("node"), _Level("process"), _Level("thread"), "thrdId")
CUBE_4: Final = Dialect(
    "4.4",
    _Level("systemtreenode", ("class", "machine")),
    _Level("systemtreenode", ("class", "node")),
    _Level("locationgroup", ("type", "process")),
    _Level("location", ("type", "thread")),
    "locId",
)


def check_writable(experiment: Experiment, path: Path) -> None:
    """Check that a file can contain an experiment.

    Raises:
        InputError: There are no locations, or a metric's name would be read back as a different name.
    """
    if not experiment.locations:
        raise InputError(f"{path}: expected an experiment with at least one process, found none")
    for metric in experiment.metrics:
        if _printable(metric.name).strip() != metric.name:
            raise InputError(
                f"{path}: expected a metric name without control characters, and without white space at its ends, "
                f"found {metric.name!r}; rename this metric"
            )


@contextmanager
def cube_element(stream: IO[bytes], dialect: Dialect) -> Iterator[Any]:
    """Write the document's root element, whose content the block writes with the yielded lxml writer."""
    stream.write(_DECLARATION)
    with _first_failure(), etree.xmlfile(stream, encoding="UTF-8") as xml, xml.element("cube", version=dialect.version):
        xml.write("\n")
        yield xml
    stream.write(b"\n")


@contextmanager
def _first_failure() -> Iterator[None]:
    """Raise the first error rather than lxml's later error about elements that were left open."""
    try:
        yield
    except etree.LxmlSyntaxError as error:
        first: BaseException = error
        while isinstance(first, etree.LxmlSyntaxError) and first.__context__:
            first = first.__context__
        raise first from None


def write_head(
    xml: Any, stream: IO[bytes], experiment: Experiment, dialect: Dialect, storage: Mapping[str, MetricStorage]
) -> tuple[int, int]:
    """Write everything before the severities.

    Args:
        xml: The writer of elements.
        stream: The stream to which ``xml`` writes.
        experiment: The experiment whose structure is written.
        dialect: The version of CUBE.
        storage: How each metric's values are stored.

    Returns:
        The offsets in the stream at which the part with machines, nodes, processes and threads begins and ends.
    """
    for key, value in _attributes(experiment, storage):
        _element(xml, "attr", key=key, value=value)
    _write_metrics(xml, experiment.metrics, storage)
    _write_program(xml, experiment)
    return _write_system(xml, stream, experiment, dialect)


def _attributes(experiment: Experiment, storage: Mapping[str, MetricStorage]) -> Iterable[tuple[str, str]]:
    yield VERSION_KEY, FORMAT_VERSION
    yield NOTES_KEY, experiment.notes.to_json()
    if samples := experiment.notes.samples_to_json():
        yield SAMPLES_KEY, samples
    if experiment.notes.messages is not None:
        yield MESSAGES_KEY, experiment.notes.messages.to_json()
    for metric in experiment.metrics:
        yield SOURCE_KEY + metric.name, metric.source
        if not metric.additive:
            yield NOT_ADDITIVE_KEY + metric.name, ""
        if metric.dtype != storage[metric.name].dtype:
            yield DTYPE_KEY + metric.name, metric.dtype


def _element(xml: Any, tag: str, text: str | None = None, **attributes: str) -> None:
    element = etree.Element(tag, {key: _printable(value) for key, value in attributes.items()})
    element.text = None if text is None else _printable(text)
    element.tail = "\n"
    xml.write(element)


def _write_metrics(xml: Any, metrics: Sequence[Metric], storage: Mapping[str, MetricStorage]) -> None:
    numbers = {metric.name: number for number, metric in enumerate(metrics)}
    forest = _Forest(None if metric.parent is None else numbers[metric.parent] for metric in metrics)

    def attributes(number: int) -> dict[str, str]:
        kind = storage[metrics[number].name].kind
        return {"id": str(number)} | ({"type": kind} if kind else {})

    with xml.element("metrics"):
        for number in forest.walk(xml, "metric", attributes):
            metric = metrics[number]
            _element(xml, "disp_name", metric.display or metric.name)
            _element(xml, "uniq_name", metric.name)
            _element(xml, "dtype", storage[metric.name].dtype)
            _element(xml, "uom", metric.unit)
            _element(xml, "url", "")
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
        elif path.line is not None:  # without ``mod``, the line does not distinguish call paths for readers
            found["line"] = str(path.line)
        return found

    with xml.element("program"):
        for region, number in numbers.items():
            place = {"mod": _printable(region.file), "begin": str(region.first_line), "end": str(region.last_line)}
            with xml.element("region", id=str(number), **place):
                _element(xml, "name", region.name)
                _element(xml, "url", "")
                _element(xml, "descr", region.descriptor)
            xml.write("\n")
        for _ in _Forest(path.parent for path in paths).walk(xml, "cnode", attributes):
            pass
    xml.write("\n")


class _Forest:
    """Nested elements, written without recursion, because a forest may be deeper than Python's stack."""

    def __init__(self, parents: Iterable[int | None]) -> None:
        self._children: dict[int | None, list[int]] = {}
        for number, parent in enumerate(parents):
            self._children.setdefault(parent, []).append(number)

    def walk(self, xml: Any, tag: str, attributes: Callable[[int], dict[str, str]]) -> Iterator[int]:
        """For each node, open an element, yield the node so that the caller can write its content, and close it."""
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


def _write_system(xml: Any, stream: IO[bytes], experiment: Experiment, dialect: Dialect) -> tuple[int, int]:
    """Write the system; return the offsets in the stream at which the part before the topologies begins and ends."""
    locations = experiment.locations
    numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)
    named = [(each.machine, each.node, each.process, each.thread, index) for index, each in enumerate(locations)]

    def level(kind: _Level, name: str) -> AbstractContextManager[None]:
        return _system_element(xml, kind, next(numbers[kind.tag]), name)

    with xml.element("system"):
        xml.flush()
        start = stream.tell()
        for machine, on_machine in itertools.groupby(sorted(named), itemgetter(0)):
            with level(dialect.machine, machine):
                for node, on_node in itertools.groupby(on_machine, itemgetter(1)):
                    with level(dialect.node, node):
                        xml.flush()
                        stream.write(_processes(on_node, dialect, numbers[dialect.process.tag]).encode())
        xml.flush()
        end = stream.tell()
        _write_topologies(xml, experiment.topologies, locations, dialect)
    xml.write("\n")
    return start, end


@contextmanager
def _system_element(xml: Any, level: _Level, number: int, name: str) -> Iterator[None]:
    with xml.element(level.tag, Id=str(number)):
        _element(xml, "name", name)
        if level.kind:
            _element(xml, *level.kind)
        yield
    xml.write("\n")


def _processes(places: Iterable[tuple[str, str, int, int, int]], dialect: Dialect, numbers: Iterator[int]) -> str:
    """Return the XML elements of processes and threads.

    They are formatted as text, which is much faster and safe, because they contain only numbers.
    """
    process, thread = dialect.process, dialect.thread
    of_process, of_thread = (
        f"<{level.kind[0]}>{level.kind[1]}</{level.kind[0]}>\n" if level.kind else "" for level in (process, thread)
    )
    text: list[str] = []
    for rank, threads in itertools.groupby(places, itemgetter(2)):
        text.append(
            f'<{process.tag} Id="{next(numbers)}"><name>Process {rank}</name>\n<rank>{rank}</rank>\n{of_process}'
        )
        text += (
            f'<{thread.tag} Id="{index}"><name>Thread {own}</name>\n<rank>{own}</rank>\n{of_thread}</{thread.tag}>\n'
            for _, _, _, own, index in threads
        )
        text.append(f"</{process.tag}>\n")
    return "".join(text)


def _write_topologies(
    xml: Any, topologies: Sequence[Topology], locations: Sequence[Location], dialect: Dialect
) -> None:
    placed = [topology for topology in topologies if topology.coordinates and topology.dimensions]
    if not placed:
        return
    numbers = {(place.process, place.thread): str(number) for number, place in enumerate(locations)}
    with xml.element("topologies"):
        for topology in placed:
            named = {"name": _printable(topology.name)} if topology.name else {}
            with xml.element("cart", **named, ndims=str(len(topology.dimensions))):
                for title, size, periodic in topology.dimensions:
                    named = {"name": title} if title else {}
                    _element(xml, "dim", **named, size=str(size), periodic=str(periodic).lower())
                for place, coordinates in topology.coordinates.items():
                    _element(xml, "coord", " ".join(map(str, coordinates)), **{dialect.place_of: numbers[place]})


def _printable(text: str) -> str:
    """Replace characters that XML cannot contain (control characters, undecodable bytes) with U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)
