"""Read HPCToolkit databases: ``experiment.xml`` with the call paths, and one ``.metric-db`` file per thread.

``hpctoolkit_database`` reads the databases of later versions.

Exclusive values are computed from the inclusive values in the files. Call sites and statements count towards the
function or loop that contains them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

import numpy as np
from lxml import etree

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source, open_source
from .call_tree import CallTree, Values
from .hpctoolkit_database import META, REMARK, read_database
from .profile import Profile, function

__all__ = ["read", "read_folder"]

_STRUCTURE: Final = "experiment.xml"
_FILE: Final = re.compile(r".*-(\d+)-(\d+)-[0-9a-f]+-\d+-\d+\.metric-db$")
_MAGIC: Final = b"HPCPROF-metricdb"
_HEAD: Final = 32  # size of the head in bytes: the kind of the file, and two numbers
_BLOCK: Final = 1 << 16  # number of bytes to read at a time
_LARGEST: Final = 1 << 29  # maximum number of bytes in a file of values
_FUNCTIONS: Final = ("PF", "Pr", "A")
_LOOP: Final = "L"
_UNKNOWN: Final = "<unknown file>"


@dataclass
class _Structure:
    """The contents of ``experiment.xml``."""

    tree: CallTree = field(default_factory=CallTree)
    width: int = 0
    files: dict[str, str] = field(default_factory=dict)
    procedures: dict[str, str] = field(default_factory=dict)
    rows: set[int] = field(default_factory=set)


def read(source: Source) -> Experiment:
    """Read a database, given its file with the call paths (usually ``experiment.xml``); the values are in other files.

    Raises:
        InputError: The database is damaged, or has no values per thread.
    """
    return _database(source.path)


def read_folder(path: Path) -> Experiment:
    """Read a database, given its folder.

    Raises:
        InputError: The database is damaged, has an unknown version, or has no values per thread.
    """
    if (path / _STRUCTURE).exists():
        return _database(path / _STRUCTURE)
    if (path / META).exists():
        return read_database(path)
    raise InputError(f"expected an HPCToolkit database with {_STRUCTURE} or {META}, found a folder without these files")


def _database(file: Path) -> Experiment:
    profile = Profile("HPCToolkit")
    structure = _structure(file, profile)
    threads = sorted(
        (int(found[1]), int(found[2]), each) for each in file.parent.iterdir() if (found := _FILE.match(each.name))
    )
    if not threads or not structure.tree.columns:
        raise InputError(
            "expected values per thread (*.metric-db), found none; create these files with hpcprof-mpi --metric-db yes"
        )
    for rank, thread, each in threads:
        structure.tree.add(profile, profile.location(rank, thread), _values(each, structure))
    profile.samples |= structure.tree.samples
    profile.remarks.append(REMARK)
    return profile.experiment(Notes(program=structure.tree.program))


def _structure(file: Path, profile: Profile) -> _Structure:
    found = _Structure()
    open_nodes: list[int | None] = [None]
    sites: list[int | None] = [None]
    try:
        _refuse_entities(file)
        events = etree.iterparse(
            str(file), events=("start", "end"), huge_tree=True, resolve_entities=False, no_network=True
        )
        for event, element in events:
            if event == "start":
                _start(found, profile, element, open_nodes, sites)
            else:
                if element.tag in (*_FUNCTIONS, _LOOP):
                    open_nodes.pop()
                if element.tag == "C":
                    sites.pop()
                element.clear()
    except (etree.XMLSyntaxError, expat.ExpatError) as error:
        said = getattr(error, "msg", None) or str(error)
        raise InputError(f"{file.name}:{error.lineno or 1}: broken XML: {' '.join(said.split())}") from None
    return found


def _refuse_entities(file: Path) -> None:
    """Refuse a file that declares entities, because a few bytes of entities can expand until memory is full.

    Only the part before the first element is read, because it contains all declarations.

    Raises:
        InputError: The file declares entities.
    """

    def refuse(*_: object) -> None:
        raise InputError(f"{file.name}: expected XML without entities, found entities")

    began: list[object] = []
    parser = expat.ParserCreate()
    # Without this, the parser stops at an unknown entity.
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.EntityDeclHandler = parser.SkippedEntityHandler = refuse
    parser.StartElementHandler = lambda *name: began.append(name)
    source, offset = open_source(file), 0
    while not began and (block := source.read(offset, _BLOCK)):
        parser.Parse(block, False)
        offset += len(block)
    if not began:
        parser.Parse(b"", True)  # expat 2.6 leaves much of the text unparsed until the last call


def _start(
    found: _Structure, profile: Profile, element: Any, open_nodes: list[int | None], sites: list[int | None]
) -> None:
    said: Mapping[str, str] = element.attrib
    tag = element.tag
    if tag == "SecCallPathProfile":
        found.tree.program = said.get("n", "")
    elif tag == "MetricDB" and said["t"] == "inclusive":
        found.tree.columns[int(said["db-id"])] = said["n"].removesuffix(" (I)")
        found.width = int(said["db-num-metrics"])
    elif tag == "File":
        found.files[said["i"]] = said["n"]
    elif tag == "Procedure":
        found.procedures[said["i"]] = said["n"]
    elif tag == "C":
        sites.append(int(said["l"]) or None)
    elif tag in (*_FUNCTIONS, _LOOP):
        above = open_nodes[-1]
        outer = found.tree.nodes[above].path if above is not None else None
        region = _region(found, tag, said)
        path = profile.path(region, outer, sites[-1] if tag in _FUNCTIONS else None)
        open_nodes.append(found.tree.node(_row(found, said), above, path, region.name))


def _row(found: _Structure, said: Mapping[str, str]) -> int:
    number = int(said["i"])
    if number < 1:
        raise InputError(f"expected nodes numbered from 1, found node {number}")
    if number in found.rows:
        raise InputError(f"expected each node once, found node {number} twice")
    found.rows.add(number)
    return number - 1


def _region(found: _Structure, tag: str, said: Mapping[str, str]) -> Region:
    file = found.files.get(said.get("f", ""), "")
    file = "" if file.startswith(_UNKNOWN) else file
    line = int(said.get("l", "0"))
    if tag == _LOOP:
        return Region("loop", f"loop@{line}", file, "", line, line)
    return function(found.procedures.get(said.get("n", ""), said.get("n", "?")), file, line)


def _values(file: Path, structure: _Structure) -> Values:
    """Return the inclusive values of a thread: column → ``float64[row]``."""
    source = open_source(file)
    head = source.read(0, _HEAD)
    rows, columns = (int.from_bytes(head[at : at + 4], "big") for at in (24, 28))
    size = 8 * rows * columns
    if not head.startswith(_MAGIC) or columns != structure.width or size > _LARGEST:
        raise InputError(f"{file.name}: expected values of {structure.width} metrics, found a damaged file")
    content = source.read(_HEAD, size)
    last = max((each.row for each in structure.tree.nodes), default=0)
    if len(content) < size or rows <= last:
        raise InputError(
            f"{file.name}: expected values of {last + 1} nodes, found values of {len(content) // (8 * columns)} nodes"
        )
    table = np.frombuffer(content, dtype=">f8").reshape(rows, columns).astype(np.float64)
    return {column: table[:, column] for column in structure.tree.columns}
