"""Reading CUBE 3 XML: our own, and that of other tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from ..errors import InputError
from .cube_writer import FORMAT_VERSION, NOTES_KEY, SOURCE_KEY, VERSION_KEY
from .experiment import CallPath, Experiment, Location, Severity
from .metric import Metric
from .notes import Notes
from .region import DESCRIPTOR_VERSION, Region

__all__ = ["load"]


def load(path: Path) -> Experiment:
    """Read an experiment.

    Raises:
        InputError: The file is missing, no CUBE 3 XML, of a later version, or contradicts itself. A document type
            is refused before anything in it is looked at: experiments need no entities.
    """
    _check_kind(path)
    reader = _CubeReader()
    try:
        for element in _elements(path):
            reader.take(element)
        return reader.experiment()
    except etree.XMLSyntaxError as error:
        raise InputError(f"{path}:{error.lineno or 1}: broken XML: {error.msg}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{path}: CUBE 3 XML wanted, but an element is broken or missing ({error})") from None


def _check_kind(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            head = stream.read(256)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if not head:
        raise InputError(f"{path}: an experiment (CUBE 3 XML) wanted, found an empty file")
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise InputError(f"{path}: an experiment (CUBE 3 XML) wanted, found a file of another kind")


def _elements(path: Path) -> Iterator[Any]:
    """Give each finished top part and each severity row, and forget it after use."""
    parts = ("attr", "metrics", "program", "system", "row")
    events = etree.iterparse(
        str(path),
        events=("start", "end"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    first = True
    for event, element in events:
        if first:
            _check_root(element)
            first = False
        if event == "end" and element.tag in parts:
            yield element
            element.clear()


def _check_root(root: Any) -> None:
    info = root.getroottree().docinfo
    if info.doctype or info.internalDTD is not None:
        raise InputError("a document type or entities in an experiment: refused; remove the <!DOCTYPE …>")
    if root.tag != "cube":
        raise InputError(f"CUBE 3 XML wanted, found XML of kind <{root.tag}>")
    version = root.get("version", "none")
    if version.split(".")[0] != "3":
        raise InputError(f"CUBE XML of version 3 wanted, found version {version}")


class _CubeReader:
    """Collects the parts of a CUBE file; ids may be any numbers, in any order."""

    def __init__(self) -> None:
        self.attributes: dict[str, str] = {}
        self.metrics: dict[str, Metric] = {}
        self.paths: dict[str, CallPath] = {}
        self.locations: dict[str, Location] = {}
        self.severities: dict[str, Severity] = {}
        self.path_index: dict[str, int] = {}
        self.rows: set[tuple[str, int]] = set()
        self.by_id = np.zeros(0, dtype=np.intp)

    def take(self, element: Any) -> None:
        if element.tag == "attr":
            self.attributes[element.attrib["key"]] = element.attrib["value"]
            self._check_version()
        elif element.tag == "row":
            self._take_row(element)
        else:
            {"metrics": self._take_metrics, "program": self._take_program, "system": self._take_system}[element.tag](
                element
            )

    def experiment(self) -> Experiment:
        if not self.locations:
            raise InputError("CUBE 3 XML with a system of processes wanted, found none")
        for metric in self.metrics.values():
            if metric.name not in self.severities:
                self.severities[metric.name] = self._zeros()
        notes = Notes.from_json(self.attributes.get(NOTES_KEY, "{}"))
        locations = list(self.locations.values())
        columns = sorted(
            range(len(locations)), key=lambda column: (locations[column].process, locations[column].thread)
        )
        return Experiment(
            metrics=[*self.metrics.values()],
            call_paths=[*self.paths.values()],
            locations=[locations[column] for column in columns],
            severities={name: values[:, columns] for name, values in self.severities.items()},
            notes=notes,
        )

    def _check_version(self) -> None:
        found = self.attributes.get(VERSION_KEY, FORMAT_VERSION)
        if found != FORMAT_VERSION:
            raise InputError(f"experiment of format {FORMAT_VERSION} wanted, found {found}; use a later autoanalyzer")

    def _take_metrics(self, element: Any) -> None:
        creator = self.attributes.get("Creator", "CUBE")
        for each in element.iter("metric"):
            name = _text(each, "uniq_name") or _text(each, "disp_name")
            parent = each.getparent()
            self.metrics[each.attrib["id"]] = Metric(
                name,
                _text(each, "uom"),
                self.metrics[parent.attrib["id"]].name if parent.tag == "metric" else None,
                _text(each, "descr"),
                self.attributes.get(SOURCE_KEY + name, f"imported:{creator}"),
            )

    def _take_program(self, element: Any) -> None:
        regions = {each.attrib["id"]: _region(each) for each in element.iter("region")}
        for each in element.iter("cnode"):
            parent = each.getparent()
            above = self.path_index[parent.attrib["id"]] if parent.tag == "cnode" else None
            self.path_index[each.attrib["id"]] = len(self.paths)
            self.paths[each.attrib["id"]] = CallPath(regions[each.attrib["calleeId"]], above)

    def _take_system(self, element: Any) -> None:
        for each in element.iter("thread"):
            process = each.getparent()
            node = process.getparent()
            self.locations[each.attrib["Id"]] = Location(
                _text(node.getparent(), "name"),
                _text(node, "name"),
                int(_text(process, "rank")),
                int(_text(each, "rank")),
            )

        # Rows list their values by the threads' ids, which need not stand in order in the system part.
        self.by_id = np.argsort(np.argsort([int(each) for each in self.locations]))

    def _take_row(self, element: Any) -> None:
        metric = self.metrics[element.getparent().attrib["metricId"]].name
        if metric not in self.severities:
            self.severities[metric] = self._zeros()
        values = np.array((element.text or "").split(), dtype=np.float64)
        if len(values) != len(self.locations):
            raise InputError(f"row with {len(self.locations)} values wanted, found {len(values)}")
        path = self.path_index[element.attrib["cnodeId"]]
        if (metric, path) in self.rows:
            raise InputError(f"one row of {metric} for call path {path} wanted, found two")
        self.rows.add((metric, path))
        self.severities[metric][path] = values[self.by_id]

    def _zeros(self) -> Severity:
        return np.zeros((len(self.paths), len(self.locations)))


def _text(element: Any, tag: str) -> str:
    return (element.findtext(tag) or "").strip()


def _region(element: Any) -> Region:
    description = _text(element, "descr")
    if description.startswith(DESCRIPTOR_VERSION + "|"):
        return Region.from_descriptor(description)
    name = _text(element, "name")
    return Region(
        "function",
        name,
        element.attrib.get("mod", ""),
        name,
        0,
        max(0, int(element.attrib.get("begin", 0))),
        max(0, int(element.attrib.get("end", 0))),
    )
