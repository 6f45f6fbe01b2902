"""Read the records of a Caliper file in any of its formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, NamedTuple

from ...errors import InputError
from ..source import Source
from .damage import package
from .text import lines

__all__ = ["Column", "Record", "Records"]

_NUMBERS: Final = ("int", "uint", "double")
_PATHS: Final = ("path", "source.function#callpath.address")
_UNITS: Final = ("attribute.unit", "time.unit")
_MOST: Final = 1 << 21  # maximum number of records in JSON; each takes up to 800 bytes in memory
_LABELS: Final = 1 << 25  # maximum number of labels in the chains of all nodes; each takes 8 bytes in memory
_DEEP: Final = 1000  # maximum depth of nodes in a .cali file, because each record lists all its ancestors


class Column(NamedTuple):
    """The description of an attribute: its unit, whether it is a number, and whether it may be summed."""

    name: str
    unit: str = ""
    is_value: bool = True
    is_metric: bool = False


class Record(NamedTuple):
    """A call path with its numbers and all other keys, such as rank, thread and iteration."""

    path: tuple[str, ...]
    keys: Mapping[str, str]
    values: Mapping[str, float]


@dataclass
class Records:
    """All contents of a file.

    Attributes:
        columns: Name of an attribute → its description.
        records: The records, in the order of the file.
        facts: Facts about the run.
    """

    columns: dict[str, Column] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_document(cls, document: Any) -> Records:
        """Read Caliper's JSON.

        Raises:
            InputError: The document is JSON but not Caliper's, or has too many records or nodes.
        """
        if isinstance(document, dict) and "data" in document:
            _refuse_many(document["data"])
            return _of_split_json(document)
        if isinstance(document, dict):
            document = document.get("records")
        if isinstance(document, list):
            _refuse_many(document)
        if isinstance(document, list) and document and all(isinstance(each, dict) for each in document):
            return _of_json_records(document)
        raise InputError("expected Caliper JSON (data, columns and nodes, or a list of records), found other JSON")

    @classmethod
    def of_stream(cls, source: Source) -> Records:
        """Read a ``.cali`` file.

        Raises:
            InputError: Caliper's reader is not installed, or nodes form a cycle or are too deep.
        """
        return _of_stream(source)


def _of_stream(source: Source) -> Records:
    """Read a ``.cali`` file with Caliper's own reader."""
    reader = package("caliperreader", "caliper").CaliperStreamReader()
    _refuse_circles(reader.db)
    rows: list[dict[str, Any]] = []
    reader.read(lines(source), rows.append)
    attributes = reader.db.attributes
    columns = {
        name: Column(name, _unit(each), True, bool(each.is_aggregatable()))
        for name, each in attributes.items()
        if each.is_value() and not each.is_hidden() and not each.is_global() and each.attribute_type() in _NUMBERS
    }
    nested = {name for name, each in attributes.items() if each.is_nested()}
    found = Records(columns=columns, facts={name: _text(value) for name, value in reader.globals.items()})
    for row in rows:
        path = next((row[each] for each in _PATHS if each in row), ())
        found.records.append(_record(row, (path,) if isinstance(path, str) else path, found.columns, nested))
    return found


def _unit(attribute: Any) -> str:
    about = attribute.metadata()
    return next((_text(about[each]) for each in _UNITS if each in about), "")


def _refuse_circles(nodes: Any) -> None:
    """Make the reader raise InputError for nodes that form cycles or are too deep; it would follow a cycle forever."""
    plain = nodes.import_node
    depths: dict[int, int] = {}

    def import_node(number: int, attribute: int, data: str, parent: int) -> None:
        depths[number] = depth = depths.get(parent, 0) + 1
        if number == parent or depth > _DEEP:
            raise InputError(f"expected nodes at most {_DEEP} levels deep, found node {number} below node {parent}")
        plain(number, attribute, data, parent)

    nodes.import_node = import_node


def _refuse_many(rows: Sized) -> None:
    if len(rows) > _MOST:
        raise InputError(f"expected at most {_MOST} Caliper records in JSON, found {len(rows)}")


def _of_split_json(document: Mapping[str, Any]) -> Records:
    """Read ``json-split``, a table in which a path is the number of a node."""
    names: Sequence[str] = document["columns"]
    about: Sequence[Mapping[str, Any]] = document["column_metadata"]
    columns = {
        name: Column(name, _text(each.get("attribute.unit")), bool(each.get("is_value")))
        for name, each in zip(names, about, strict=True)
    }
    labels = _labels(document["nodes"])
    facts = {name: _text(value) for name, value in document.items() if isinstance(value, str | int)}
    found = Records(columns=columns, facts=facts)
    for values in document["data"]:
        row = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        chains = {name: labels[row[name]] for name in row if not columns[name].is_value}
        path = next((chains[each] for each in _PATHS if each in chains), ())
        found.records.append(_record({**row, **{name: each[-1] for name, each in chains.items()}}, path, columns))
    return found


def _labels(nodes: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return the labels on the path from the root to each node; in ``nodes``, parents come before children."""
    found: list[tuple[str, ...]] = []
    size = 0
    for node in nodes:
        parent = node.get("parent")
        if parent is not None and not 0 <= parent < len(found):
            raise InputError(f"expected a parent before node {len(found)}, found node {parent}")
        above = () if parent is None else found[parent]
        if len(above) >= _DEEP:
            raise InputError(f"expected nodes at most {_DEEP} levels deep, found deeper ones")
        size += len(above) + 1
        if size > _LABELS:
            raise InputError(f"expected nodes whose depths add up to at most {_LABELS}, found more")
        found.append((*above, _text(node["label"])))
    return found


def _of_json_records(rows: Sequence[Mapping[str, Any]]) -> Records:
    """Read ``json``, a list of records in which a path is a list, or a string separated by slashes."""
    names = dict.fromkeys(name for row in rows for name in row if name not in _PATHS)
    texts = {name for row in rows for name, value in row.items() if not _is_number(value)}
    found = Records(columns={name: Column(name, is_value=name not in texts) for name in names})
    for row in rows:
        path = next((row[each] for each in _PATHS if each in row), ())
        parts = path.split("/") if isinstance(path, str) else [_text(each) for each in path]
        found.records.append(_record(row, tuple(parts), found.columns))
    return found


def _record(
    row: Mapping[str, Any], path: Sequence[str], columns: Mapping[str, Column], nested: Collection[str] = ()
) -> Record:
    values = {name: float(value) for name, value in row.items() if name in columns and columns[name].is_value}
    keys = {name: _text(value) for name, value in row.items() if name not in nested and name not in _PATHS}
    return Record(tuple(path), keys, values)


def _is_number(value: object) -> bool:
    """Return whether a value is a number or the text of one, except for nan and inf, which may be regions' names."""
    if not isinstance(value, str):
        return isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def _text(value: object) -> str:
    if isinstance(value, list):
        return "/".join(map(str, value))
    return "" if value is None else str(value)
