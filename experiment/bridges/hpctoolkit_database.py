"""Read HPCToolkit databases of version 4: ``meta.db`` with the call paths, ``profile.db`` with the threads' values.

Structures are found by their offsets in the file, and arrays contain the size of their elements, so later minor
versions can be read, too. FORMATS.md, which HPCToolkit adds to each database, describes the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from struct import Struct, error
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source, open_source
from .call_tree import CallTree, Values
from .profile import Profile, function

__all__ = ["META", "REMARK", "read", "read_database"]

META: Final = "meta.db"
REMARK: Final = "HPCToolkit: no visits or bytes; values come from samples"

_PROFILES: Final = "profile.db"
_MAGIC: Final = b"HPCTOOLKIT"
_HEAD: Final = 16  # size of a file's head in bytes
_VERSION: Final = 4
_LARGEST: Final = 1 << 29  # maximum number of bytes to read at once, or to allocate per thread
_LONGEST: Final = 1 << 14  # maximum length of a string in bytes; longer strings are cut off
# All strings together may be this many times as long as the file, because strings with the same ending may share bytes.
_SHARED: Final = 4
_PART: Final = 1 << 10  # number of bytes of a string to read at a time

_GENERAL, _NAMES, _METRICS, _CONTEXTS = range(4)  # sections of meta.db, in their order
_INFOS: Final = 0  # the section of profile.db
_INCLUSIVE: Final = 2  # the type of propagation scope that means inclusive values
_FUNCTION, _LOOP, _LINE, _INSTRUCTION = range(4)  # types of contexts
_HAS_FUNCTION, _HAS_PLACE, _HAS_LIBRARY = 1, 2, 4
_IS_SUMMARY: Final = 1
_NODE, _RANK, _THREAD = "NODE", "RANK", "THREAD"
_OF_PROCESSORS: Final = frozenset({_NODE, _RANK, _THREAD, "CORE"})

_POINTER: Final = Struct("<Q")
_SECTION: Final = Struct("<QQ")
_NAME_LIST: Final = Struct("<QB")
_METRIC_LIST: Final = Struct("<QLBB")
_METRIC_ITEM: Final = Struct("<QQQH")
_SCOPE_ITEM: Final = Struct("<QH")
_SCOPE: Final = Struct("<QB")
_ENTRY_LIST: Final = Struct("<QHB")
_ENTRY: Final = Struct("<QQLHxxQ")
_CONTEXT: Final = Struct("<QQLBBBBHxxxxxx")
_FUNCTION_ITEM: Final = Struct("<QQQQL")
_FILE_ITEM: Final = Struct("<QQ")
_PROFILE_LIST: Final = Struct("<QLB")
_PROFILE: Final = Struct("<QQLxxxxQQL")
_MANY_IDENTIFIERS: Final = Struct("<HxxxxxxQ")
_IDENTIFIER: Final = Struct("<BxHLQ")
_VALUE: Final = np.dtype([("metric", "<u2"), ("value", "<f8")])
_INDEX: Final = np.dtype([("context", "<u4"), ("start", "<u8")])


class _Profile(NamedTuple):
    """A thread's identity, and where its values are: their number and offset, and those of the index by context."""

    values: int
    start: int
    contexts: int
    indices: int
    process: int
    thread: int
    host: str
    of_gpu: bool


def read(source: Source) -> Experiment:
    """Read a database, given its file with the call paths, ``meta.db``; the values are in a file beside it.

    Raises:
        InputError: The database is damaged, is of an unsupported version, or has no values per thread.
    """
    return read_database(source.path.parent)


def read_database(path: Path) -> Experiment:
    """Read a database, given its folder.

    Raises:
        InputError: The database is damaged, is of an unsupported version, or has no values per thread.
    """
    meta, values = _File(path / META, b"meta", 4), _File(path / _PROFILES, b"prof", 2)
    profile = Profile("HPCToolkit")
    contexts = _Contexts(meta, profile)
    contexts.read()
    tree, columns = contexts.tree, _columns(meta, contexts.tree)
    if 8 * len(contexts.rows) * len(columns) > _LARGEST:
        raise InputError(f"the database is too large: {len(contexts.rows)} contexts with {len(columns)} metrics")
    column = np.full(1 << 16, -1)
    column[list(columns)] = list(columns.values())
    idle = streams = 0
    profiles = [*_profiles(values, _kinds(meta))]
    _refuse_shared(values, profiles)
    for each in profiles:
        if each.of_gpu:
            streams += 1
        # The first thread of a rank is kept even without samples, so that the rank exists.
        elif each.thread and not each.values:
            idle += 1
        else:
            place = profile.location(each.process, each.thread, each.host)
            tree.add(profile, place, _values(values, each, contexts.rows, column))
    if idle:
        profile.remarks.append(f"HPCToolkit: threads without samples are left out: {idle}")
    if streams:
        profile.remarks.append(f"HPCToolkit: GPU profiles are left out: {streams}")
    profile.samples |= tree.samples
    profile.remarks.append(REMARK)
    return profile.experiment(Notes(program=tree.program))


class _File:
    """A file of a database; ``sections`` contains the offset of each section.

    Raises:
        InputError: The file has another kind or version.
    """

    def __init__(self, path: Path, kind: bytes, sections: int) -> None:
        self._source = open_source(path)
        self._end = self._source.end()
        self._texts: dict[int, str] = {}
        self._text_bytes = 0
        self.name = path.name
        head = self.bytes(0, _HEAD)
        if not head.startswith(_MAGIC + kind):
            raise InputError(f"{path.name}: expected an HPCToolkit file, found another kind of file")
        major, minor = head[-2:]
        if major != _VERSION:
            raise InputError(f"{path.name}: expected version {_VERSION} of HPCToolkit's format, found {major}.{minor}")
        self.sections = [self.fields(_HEAD + _SECTION.size * each, _SECTION)[1] for each in range(sections)]

    def bytes(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes, starting at an offset.

        Raises:
            InputError: The file has fewer bytes at this offset, or ``size`` is too large.
        """
        if not (0 <= size <= _LARGEST and 0 <= offset <= self._end - size):
            raise InputError(
                f"{self.name}: expected {size} bytes at offset {offset}, but the file has {self._end} bytes"
            )
        return self._source.read(offset, size)

    def fields(self, offset: int, kind: Struct) -> tuple[Any, ...]:
        """Return the fields of the structure at an offset."""
        return kind.unpack(self.bytes(offset, kind.size))

    def items(self, start: int, many: int, size: int, kind: Struct) -> Iterator[tuple[Any, ...]]:
        """Yield the fields of each structure in a list; consecutive structures begin ``size`` bytes apart."""
        if many and size < kind.size:
            raise InputError(
                f"{self.name}: expected elements of at least {kind.size} bytes, found elements of {size} bytes"
            )
        if start + many * size > self._end:
            raise InputError(
                f"{self.name}: expected {many * size} bytes at offset {start}, but the file has {self._end} bytes"
            )
        return (self.fields(start + size * each, kind) for each in range(many))

    def text(self, offset: int) -> str:
        """Return the string at an offset, up to its terminating zero; very long strings are cut off."""
        if offset not in self._texts:
            found, ended = bytearray(), False
            while not ended and len(found) < _LONGEST:
                at = offset + len(found)
                part, zero, _ = self.bytes(at, min(_PART, self._end - at) or 1).partition(b"\0")
                found += part
                ended = bool(zero)
            self._text_bytes += len(found)
            if self._text_bytes > _SHARED * self._end:
                raise InputError(f"{self.name}: expected names that fit into {self._end} bytes, found longer names")
            self._texts[offset] = found.decode("utf-8", "replace")
        return self._texts[offset]


def _kinds(meta: _File) -> Sequence[str]:
    """Return the names of the kinds of identifiers, such as RANK and THREAD, in the order of their numbers."""
    names, many = meta.fields(meta.sections[_NAMES], _NAME_LIST)
    return [meta.text(name) for (name,) in meta.items(names, many, _POINTER.size, _POINTER)]


def _columns(meta: _File, tree: CallTree) -> Mapping[int, int]:
    """Add a column to the tree for each metric with inclusive values; return the metrics' numbers → columns."""
    found: dict[int, int] = {}
    seen = set()
    metrics, many, size, size_of_scope = meta.fields(meta.sections[_METRICS], _METRIC_LIST)
    for name, scopes, _, many_scopes in meta.items(metrics, many, size, _METRIC_ITEM):
        for scope, number in meta.items(scopes, many_scopes, size_of_scope, _SCOPE_ITEM):
            if number in seen:
                raise InputError(f"{meta.name}: expected each metric once, found metric {number} twice")
            seen.add(number)
            if meta.fields(scope, _SCOPE)[1] == _INCLUSIVE:
                found[number] = len(tree.columns)
                tree.columns[len(tree.columns)] = meta.text(name)
    return found


class _Contexts:
    """The tree of contexts: functions and loops are nodes, which include the lines and instructions in them.

    Attributes:
        tree: The nodes.
        rows: Number of a context → row of values.
    """

    def __init__(self, meta: _File, profile: Profile) -> None:
        self._meta = meta
        self._profile = profile
        self._functions: dict[int, Region] = {0: function("<unknown function>")}
        self._files: dict[int, str] = {0: ""}
        self.tree = CallTree(program=meta.text(meta.fields(meta.sections[_GENERAL], _POINTER)[0]))
        self.rows: dict[int, int] = {}

    def read(self) -> None:
        """Read all contexts into the tree."""
        entries, many, size = self._meta.fields(self._meta.sections[_CONTEXTS], _ENTRY_LIST)
        for size_inside, inside, context, _, name in self._meta.items(entries, many, size, _ENTRY):
            text = self._meta.text(name)
            node = self.tree.node(self._row(context), None, self._profile.path(text), text)
            waiting = [(inside, size_inside, node, 0)]
            while waiting:
                waiting += self._side_by_side(*waiting.pop())

    def _row(self, context: int) -> int:
        if context in self.rows:
            raise InputError(f"{self._meta.name}: expected each context once, found context {context} twice")
        return self.rows.setdefault(context, len(self.rows))

    def _side_by_side(self, start: int, size: int, above: int, line: int) -> Iterator[tuple[int, int, int, int]]:
        """Add the contexts in a part of the file, which are the children of one context, to the tree.

        Yield, for each of them, the offset and the size of its children, its node, and its line.
        """
        content = self._meta.bytes(start, size)
        at = 0
        while at < size:
            try:
                size_inside, inside, context, flags, call, kind, words, _ = _CONTEXT.unpack_from(content, at)
                said = iter(Struct(f"<{words}Q").unpack_from(content, at + _CONTEXT.size))
                code = next(said) if flags & _HAS_FUNCTION else 0
                file, own_line = (next(said), next(said) & 0xFFFF_FFFF) if flags & _HAS_PLACE else (0, 0)
                library = next(said) if flags & _HAS_LIBRARY else 0
            except (error, StopIteration):
                raise InputError(
                    f"{self._meta.name}: expected a complete context at byte {start + at}, found an incomplete one"
                ) from None
            at += _CONTEXT.size + _POINTER.size * words
            row = self._row(context)
            region = None
            if kind == _FUNCTION:
                region = self._function(code)
            # A loop without a line is in a library about which nothing else is known; its values stay with its caller.
            elif kind == _LOOP and own_line:
                region = Region("loop", f"loop@{own_line}", self._file(file), "", own_line, own_line)
            elif kind == _INSTRUCTION and call:  # a call from an unknown function of a library
                region = function(f"[{self._file(library).rpartition('/')[2]}]")
            node = above
            if region:
                path = self._profile.path(region, self.tree.nodes[above].path, (line or None) if call else None)
                node = self.tree.node(row, above, path, region.name)
            yield inside, size_inside, node, own_line if kind == _LINE else 0

    def _function(self, at: int) -> Region:
        if at not in self._functions:
            name, _, offset, file, line = self._meta.fields(at, _FUNCTION_ITEM)
            text = self._meta.text(name) if name else f"<function at {offset:#x}>"
            where = self._file(file)
            if where.startswith("["):  # only the library is known, and its name is also appended to the function's
                text, where, line = text.removesuffix(f" {where}"), "", 0
            self._functions[at] = function(text, where, line)
        return self._functions[at]

    def _file(self, at: int) -> str:
        """Return the path of the file or library whose record is at an offset."""
        if at not in self._files:
            self._files[at] = self._meta.text(self._meta.fields(at, _FILE_ITEM)[1])
        return self._files[at]


def _profiles(values: _File, kinds: Sequence[str]) -> Iterator[_Profile]:
    """Yield the profiles of single threads. If there are no ranks, nodes count as processes and are numbered from 0."""
    infos, many, size = values.fields(values.sections[_INFOS], _PROFILE_LIST)
    seen = set()
    ranked = set()
    for many_values, start, contexts, indices, place, flags in values.items(infos, many, size, _PROFILE):
        if flags & _IS_SUMMARY:
            continue
        logical, physical = _identifiers(values, place, kinds)
        of_gpu = bool(logical.keys() - _OF_PROCESSORS)
        process, thread = logical.get(_RANK, logical.get(_NODE, 0)), logical.get(_THREAD, 0)
        if not of_gpu:
            ranked.add(_RANK in logical)
            if len(ranked) > 1:
                raise InputError(
                    f"{values.name}: expected ranks for all processes or for none, found ranks for only some"
                )
            if (process, thread) in seen:
                what = f"{process}, thread {thread}"
                raise InputError(f"{values.name}: expected each thread once, found process {what} twice")
            seen.add((process, thread))
        host = f"host {physical.get(_NODE, 0):08x}"
        yield _Profile(many_values, start, contexts, indices, process, thread, host, of_gpu)


def _identifiers(values: _File, place: int, kinds: Sequence[str]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Map the kinds of a thread's identifiers to their logical numbers, counted from 0, and to their physical ones."""
    logical, physical = {}, {}
    many = values.fields(place, _MANY_IDENTIFIERS)[0]
    if many > len(kinds):
        raise InputError(f"{values.name}: expected at most {len(kinds)} identifiers per thread, found {many}")
    first = place + _MANY_IDENTIFIERS.size - _POINTER.size
    for kind, _, number, of_machine in values.items(first, many, _IDENTIFIER.size, _IDENTIFIER):
        if kind >= len(kinds):
            raise InputError(f"{values.name}: expected identifiers of kinds 0 to {len(kinds) - 1}, found kind {kind}")
        logical[kinds[kind]], physical[kinds[kind]] = number, of_machine
    return logical, physical


def _refuse_shared(values: _File, profiles: Sequence[_Profile]) -> None:
    """Refuse threads that share bytes in the file, because a small file could then take a lot of time and memory."""
    sizes = [(each.start, each.values * _VALUE.itemsize) for each in profiles]
    sizes += [(each.indices, each.contexts * _INDEX.itemsize) for each in profiles]
    blocks = sorted((start, start + size) for start, size in sizes if size)
    for (_, end), (start, _) in pairwise(blocks):
        if start < end:
            raise InputError(
                f"{values.name}: expected separate values for each thread, found shared values at byte {start}"
            )


def _values(values: _File, profile: _Profile, rows: Mapping[int, int], column: npt.NDArray[np.intp]) -> Values:
    """Return the inclusive values of a thread; ``column`` maps a metric's number to its column, or to -1 to skip it."""
    pairs = np.frombuffer(values.bytes(profile.start, profile.values * _VALUE.itemsize), _VALUE)
    indices = np.frombuffer(values.bytes(profile.indices, profile.contexts * _INDEX.itemsize), _INDEX)
    starts = np.append(indices["start"].astype(np.int64), len(pairs))
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise InputError(f"{values.name}: expected values in the order of contexts, found another order")
    # Values without a row are skipped: their contexts are above all entries, or are instructions without a call path.
    row = np.array([rows.get(each, -1) for each in indices["context"].tolist()], dtype=np.intp)
    places = np.repeat(row, np.diff(starts)), column[pairs["metric"]]
    wanted = np.flatnonzero((places[0] >= 0) & (places[1] >= 0))
    wanted = wanted[np.argsort(places[1][wanted], kind="stable")]
    present, first = np.unique(places[1][wanted], return_index=True)
    found = {each: np.zeros(len(rows)) for each in present.tolist()}
    for of_metric, (begin, end) in zip(found.values(), pairwise([*first, len(wanted)]), strict=True):
        those = wanted[begin:end]
        of_metric[places[0][those]] = pairs["value"][those]
    return found
