"""How sources were compiled, as far as it decides how they are read: from the object by the run to its notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from .marked_texts import marked_texts

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["Compiled", "entries", "entry", "grouped"]

_MARK: Final = b"autoanalyzer: compiled\n"


@dataclass(frozen=True)
class Compiled:
    """Files that were compiled by the same options in the same folder.

    Attributes:
        language: ``c``, ``c++`` or ``fortran``.
        folder: The working folder of the compiler, from which relative names start; empty if it is not to be known.
        options: The options that decide how a file is read, in order, each in one word: macros, folders of headers,
            forced includes, the standard, OpenMP, the form of Fortran.
        predefined: Macros that the compiler itself defines under these options, with their values; in C and C++ only
            those for which the options matter, None if they undefine one. Empty if the compiler did not say.
        files: The files, by the name that regions have for them, each with what tells its text from others, as
            ``Region.text``. A file that was included counts as compiled by the options of the source that includes it.
    """

    language: str
    folder: str = ""
    options: tuple[str, ...] = ()
    predefined: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> Compiled:
        """Read what JSON has made of one.

        Raises:
            ValueError: It is none.
        """
        if not (isinstance(value, dict) and value.keys() == cls.__dataclass_fields__.keys()):
            raise ValueError("expected the fields of Compiled")
        options, predefined, files = value["options"], value["predefined"], value["files"]
        if not (isinstance(options, list | tuple) and isinstance(predefined, dict) and isinstance(files, dict)):
            raise ValueError("expected a list and two objects in the fields of Compiled")
        known = (each for each in predefined.values() if each is not None)
        if not all(
            isinstance(each, str) for each in (value["language"], value["folder"], *options, *known, *files.values())
        ):
            raise ValueError("expected text in the fields of Compiled")
        return cls(value["language"], value["folder"], tuple(options), predefined, files)


def entry(compiled: Compiled) -> bytes:
    """Return the string by which an object says how it was compiled, which the linker keeps once."""
    return _MARK + json.dumps(asdict(compiled)).encode("ascii")


def entries(file: bytes | mmap) -> Iterator[Compiled]:
    """Find what ``entry`` wrote in an executable, whatever its format.

    Args:
        file: Its bytes; a mapped file is as good.
    """
    for text in marked_texts(file, _MARK):
        try:
            yield Compiled.from_json(json.loads(text))
        except ValueError:  # the mark itself, as in this file, or what another version wrote
            continue


def grouped(units: Iterable[Compiled]) -> tuple[Compiled, ...]:
    """Merge units that were compiled alike, in the order in which the first of each came."""
    found: dict[str, Compiled] = {}
    for unit in units:
        key = json.dumps(asdict(replace(unit, files={})), sort_keys=True)
        known = found.setdefault(key, unit)
        found[key] = replace(known, files={**known.files, **unit.files})
    return tuple(found.values())
