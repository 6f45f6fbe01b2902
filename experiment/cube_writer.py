"""Writing an experiment as CUBE 3 XML, which the viewers of other tools open too.

What CUBE has no element for goes where CUBE allows free text: a region's ``descr`` holds its descriptor, and
``attr`` elements hold the notes and the sources of the metrics.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from lxml import etree

from ..files import replacing
from .experiment import Experiment, Location, Severity
from .metric import Metric
from .region import Region

__all__ = ["FORMAT_VERSION", "NOTES_KEY", "SOURCE_KEY", "VERSION_KEY", "save"]

FORMAT_VERSION: Final = "1"
VERSION_KEY: Final = "autoanalyzer"
NOTES_KEY: Final = "autoanalyzer.notes"
SOURCE_KEY: Final = "autoanalyzer.source."

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def save(experiment: Experiment, path: Path) -> None:
    """Write ``path`` whole or not at all; every value is read back bit for bit.

    Raises:
        InputError: The folder does not exist or cannot be written.
    """
    with replacing(path) as stream, etree.xmlfile(stream, encoding="UTF-8") as xml:
        xml.write_declaration()
        with xml.element("cube", version="3.0"):
            for key, value in _attributes(experiment):
                _element(xml, "attr", key=key, value=value)
            _write_metrics(xml, experiment.metrics)
            _write_program(xml, experiment)
            _write_system(xml, experiment.locations)
            with xml.element("severity"):
                for number, metric in enumerate(experiment.metrics):
                    _write_matrix(xml, number, experiment.exclusive(metric.name))


def _attributes(experiment: Experiment) -> Iterable[tuple[str, str]]:
    yield VERSION_KEY, FORMAT_VERSION
    yield NOTES_KEY, experiment.notes.to_json()
    for metric in experiment.metrics:
        yield SOURCE_KEY + metric.name, metric.source


def _element(xml: Any, tag: str, text: str | None = None, **attributes: str) -> None:
    element = etree.Element(tag, {key: _printable(value) for key, value in attributes.items()})
    element.text = None if text is None else _printable(text)
    element.tail = "\n"
    xml.write(element)


def _write_metrics(xml: Any, metrics: tuple[Metric, ...]) -> None:
    numbers = {metric.name: str(number) for number, metric in enumerate(metrics)}

    def write_below(parent: str | None) -> None:
        for metric in metrics:
            if metric.parent == parent:
                with xml.element("metric", id=numbers[metric.name]):
                    _element(xml, "disp_name", metric.name)
                    _element(xml, "uniq_name", metric.name)
                    _element(xml, "dtype", "FLOAT")
                    _element(xml, "uom", metric.unit)
                    _element(xml, "url")
                    _element(xml, "descr", metric.description)
                    write_below(metric.name)
                xml.write("\n")

    with xml.element("metrics"):
        write_below(None)
    xml.write("\n")


def _write_program(xml: Any, experiment: Experiment) -> None:
    numbers: dict[Region, int] = {}
    for path in experiment.call_paths:
        numbers.setdefault(path.region, len(numbers))
    with xml.element("program"):
        for region, number in numbers.items():
            place = {"mod": _printable(region.file), "begin": str(region.first_line), "end": str(region.last_line)}
            with xml.element("region", id=str(number), **place):
                _element(xml, "name", region.name)
                _element(xml, "url")
                _element(xml, "descr", region.descriptor)
            xml.write("\n")
        _write_call_paths(xml, experiment, numbers)
    xml.write("\n")


def _write_call_paths(xml: Any, experiment: Experiment, numbers: dict[Region, int]) -> None:
    """Write the call forest without recursion: call paths may be deeper than Python's stack."""
    enclosing: list[tuple[int, Any]] = []  # call path, its open element
    for root in experiment.roots:
        for path in experiment.walk(root):
            parent = experiment.call_paths[path].parent
            while enclosing and enclosing[-1][0] != parent:
                enclosing.pop()[1].__exit__(None, None, None)
            region = experiment.call_paths[path].region
            place = {"line": str(region.first_line), "mod": _printable(region.file), "calleeId": str(numbers[region])}
            element = xml.element("cnode", id=str(path), **place)
            element.__enter__()
            enclosing.append((path, element))
    while enclosing:
        enclosing.pop()[1].__exit__(None, None, None)


def _write_system(xml: Any, locations: tuple[Location, ...]) -> None:
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
    xml.write("\n")


def _write_thread(xml: Any, number: int, rank: int) -> None:
    with xml.element("thread", Id=str(number)):
        _element(xml, "name", f"Thread {rank}")
        _element(xml, "rank", str(rank))


def _write_matrix(xml: Any, metric: int, severity: Severity) -> None:
    """Write one metric; a call path that is 0 everywhere is left out, as CUBE allows."""
    with xml.element("matrix", metricId=str(metric)):
        for path in range(len(severity)):
            row = severity[path]
            if row.any():
                _element(xml, "row", "\n".join(map(_number, row.tolist())), cnodeId=str(path))
    xml.write("\n")


def _printable(text: str) -> str:
    """Replace what XML cannot hold (control characters, bytes of an unknown encoding) by U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")
