"""Parse the part of a CUBE 3 or CUBE 4 file before the severities: attributes, metrics, program and system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ...errors import InputError
from ..call_path import CallPath
from ..metric import Metric
from ..notes import Notes
from ..region import DESCRIPTOR_VERSION, Region
from .item import Item
from .system import CubeSystem

__all__ = [
    "DTYPE_KEY",
    "FORMAT_VERSION",
    "LIMITS",
    "MESSAGES_KEY",
    "NOTES_KEY",
    "NOT_ADDITIVE_KEY",
    "SAMPLES_KEY",
    "SOURCE_KEY",
    "VERSION_KEY",
    "CubeHead",
    "StoredMetric",
]

FORMAT_VERSION: Final = "1"
VERSION_KEY: Final = "autoanalyzer"
NOTES_KEY: Final = "autoanalyzer.notes"
SAMPLES_KEY: Final = "autoanalyzer.samples"
MESSAGES_KEY: Final = "autoanalyzer.messages"
SOURCE_KEY: Final = "autoanalyzer.source."
NOT_ADDITIVE_KEY: Final = "autoanalyzer.not_additive."
DTYPE_KEY: Final = "autoanalyzer.dtype."  # prefix of keys for the types of metrics that are stored as another type

# The maximum number of elements of each kind, so that any file can be read with bounded memory.
LIMITS: Final = {
    **dict.fromkeys(("region", "cnode", "process", "locationgroup", "thread", "location", "coord"), 1_000_000),
    **dict.fromkeys(("machine", "node", "systemtreenode", "attr"), 100_000),
    **dict.fromkeys(("metric", "dim"), 20_000),
    "cart": 1000,
}
_MAX_DEPTH: Final = 5000  # maximum nesting of elements; the total length of path names grows with its square
_MAX_NAMES: Final = 10_000  # maximum number of different element and attribute names, all of which the parser keeps
_MAX_TEXT: Final = 1 << 26  # maximum number of characters in one element

_ITEMS: Final = frozenset(
    {
        *("metric", "region", "cart", "coord"),
        *("machine", "node", "process", "thread", "systemtreenode", "locationgroup", "location"),
    }
)
_NUMBERS: Final = ("FLOAT", "DOUBLE", "INT", "CHAR")  # types whose names contain one of these are numbers


@dataclass(frozen=True, slots=True)
class StoredMetric:
    """A metric with its number and type in the file, and whether the file contains inclusive values."""

    metric: Metric
    number: int
    dtype: str
    inclusive: bool = False


class CubeHead:
    """Handles a parser's events one by one, so that the tree of elements is never in memory.

    Args:
        major: The expected version of CUBE.

    Raises:
        InputError: The file has another kind or version, is inconsistent, or exceeds ``LIMITS``.
    """

    def __init__(self, major: str) -> None:
        self._major = major
        self._tags: list[str] = []
        self._names: set[str] = set()
        self._counts = dict.fromkeys(LIMITS, 0)
        self._text: list[str] = []
        self._length = 0
        self._item: Item | None = None
        self._metrics: list[Item] = []
        self._regions: dict[int, Region] = {}
        self._paths: dict[int, tuple[int, int | None, int | None, int | None]] = {}  # region, parent, site, line
        self._open_paths: list[int] = []
        self._attributes: dict[str, str] = {}
        self._remarks: list[str] = []
        self.system = CubeSystem()
        self.in_severity = False

    def doctype(self, *_: str | None) -> None:
        """Raise InputError, because a document type may declare entities."""
        raise InputError("refused an experiment with a document type or entities; remove the <!DOCTYPE …>")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag."""
        if not self._tags:
            self._check_root(tag, attributes)
        self._tags.append(tag)
        if len(self._tags) > _MAX_DEPTH:
            raise InputError(f"expected elements at most {_MAX_DEPTH:,} levels deep, found deeper ones")
        self._names.add(tag)
        self._names.update(attributes)
        if len(self._names) > _MAX_NAMES:
            raise InputError(f"expected at most {_MAX_NAMES:,} names of elements and attributes, found more")
        self._text, self._length = [], 0
        if tag in self._counts:
            self._counts[tag] += 1
            if self._counts[tag] > LIMITS[tag]:
                raise InputError(f"expected at most {LIMITS[tag]:,} <{tag}> elements, found more")
        if tag in _ITEMS:
            self._item = Item(tag, dict(attributes), self._item)
            if tag == "metric":
                self._metrics.append(self._item)
        elif tag == "cnode":
            self._start_path(attributes)
        elif tag == "dim" and self._item:
            self.system.add_dimension(self._item, attributes)
        elif tag == "attr" and len(self._tags) == 2:
            self._attributes[attributes["key"]] = attributes["value"]
        elif tag == "severity":
            self.in_severity = True

    def data(self, text: str) -> None:
        """Handle text."""
        self._length += len(text)
        if self._length > _MAX_TEXT:
            raise InputError(f"expected strings of at most {_MAX_TEXT:,} characters, found a longer one")
        self._text.append(text)

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        self._tags.pop()
        item = self._item
        if tag == "cnode":
            self._open_paths.pop()
        elif tag in _ITEMS and item:
            self._item = item.above
            if tag == "region":
                self._regions[item.number("id")] = _region(item)
            elif tag != "metric":
                self.system.take(item, "".join(self._text))
        elif item:
            item.keep(tag, "".join(self._text))
        self._text = []

    def close(self) -> None:
        """Handle the end of the file."""

    @property
    def ours(self) -> bool:
        """Whether this program wrote the file."""
        return VERSION_KEY in self._attributes

    def notes(self, *more: str) -> Notes:
        """Return the notes, with warnings about data of other tools that could not be converted.

        Args:
            more: Further warnings.
        """
        apart = (self._attributes.get(key, "") for key in (SAMPLES_KEY, MESSAGES_KEY))
        notes = Notes.from_json(self._attributes.get(NOTES_KEY, "{}"), *apart)
        remarks = (*notes.remarks, *self._remarks, *self.system.remarks, *more)
        return replace(notes, remarks=remarks)

    def metrics(self) -> list[StoredMetric]:
        """Return the metrics whose values are numbers that are stored in the file."""
        creator = self._attributes.get("Creator", "CUBE")
        kept: list[StoredMetric] = []
        names: dict[int, str | None] = {}  # for each metric, the nearest ancestor that is kept
        for item in self._metrics:
            above = names.get(id(item.above)) if item.above else None
            name = item.text("uniq_name") or item.text("disp_name")
            kind = item.attributes.get("type", "EXCLUSIVE")
            dtype = item.text("dtype") or "FLOAT"
            reason = ""
            if kind not in {"EXCLUSIVE", "INCLUSIVE"}:
                reason = "it is computed by an expression"
            elif "(" in dtype or not any(part in dtype for part in _NUMBERS):
                reason = f"its values ({dtype}) are not numbers"
            if reason:
                self._remarks.append(f"metric {name} was left out: {reason}")
                names[id(item)] = above
                continue
            names[id(item)] = name
            display = item.text("disp_name")
            metric = Metric(
                name,
                item.text("uom"),
                above,
                item.text("descr"),
                self._attributes.get(SOURCE_KEY + name, f"imported:{creator}"),
                "" if display == name else display,
                self._attributes.get(DTYPE_KEY + name, dtype),
                NOT_ADDITIVE_KEY + name not in self._attributes,
            )
            kept.append(StoredMetric(metric, item.number("id"), dtype, kind == "INCLUSIVE"))
        return sorted(kept, key=lambda each: each.number) if self.ours else kept

    def metric_numbers(self) -> set[int]:
        """Return the numbers of all metrics, including those left out."""
        return {item.number("id") for item in self._metrics}

    def call_paths(self) -> list[CallPath]:
        """Return the call paths in the order of ``places``.

        Raises:
            InputError: A call path refers to a region that does not exist.
        """
        places = self.places()
        try:
            return [
                CallPath(self._regions[callee], None if parent is None else places[parent], site, line)
                for callee, parent, site, line in (self._paths[number] for number in places)
            ]
        except KeyError as error:
            raise InputError(f"a call path refers to region {error}, which does not exist") from None

    def numbers(self) -> list[int]:
        """Return the call paths' numbers in the file, in the order of ``places``."""
        return list(self.places())

    def places(self) -> dict[int, int]:
        """Map each call path's number to its index: sorted by number in our own files, otherwise in file order."""
        numbers = sorted(self._paths) if self.ours else self._paths
        return {number: place for place, number in enumerate(numbers)}

    def check_version(self) -> None:
        """Raise InputError if the file's format version is not supported, as in files of later versions."""
        found = self._attributes.get(VERSION_KEY, FORMAT_VERSION)
        if found != FORMAT_VERSION:
            raise InputError(
                f"expected format version {FORMAT_VERSION}, found version {found}; use a later version of autoanalyzer"
            )

    def _check_root(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag != "cube":
            raise InputError(f"expected CUBE {self._major} XML, found XML with the root element <{tag[:80]}>")
        version = attributes.get("version", "none")
        if version.partition(".")[0] != self._major:
            raise InputError(f"expected CUBE XML of version {self._major}, found version {version[:80]}")

    def _start_path(self, attributes: Mapping[str, str]) -> None:
        number = int(attributes["id"])
        if number in self._paths:
            raise InputError(f"expected a different number for each call path, found {number} twice")
        line = int(attributes.get("line", -1))
        parent = self._open_paths[-1] if self._open_paths else None
        self._open_paths.append(number)
        known = line if line > 0 else None
        site = None if self.ours and "mod" not in attributes else known
        self._paths[number] = (int(attributes["calleeId"]), parent, site, None if site else known)


def _region(item: Item) -> Region:
    description = item.text("descr")
    if description.startswith(DESCRIPTOR_VERSION + "|"):
        return Region.from_descriptor(description)
    name = item.text("name")
    first, last = (max(0, int(item.attributes.get(key, 0))) for key in ("begin", "end"))
    return Region("function", name, item.attributes.get("mod", ""), name, 0, first, last)
