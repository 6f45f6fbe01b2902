"""The compiler options that affect parsing. Objects record them, and a run's notes contain them."""

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
    """Files that were compiled with the same options in the same folder.

    Attributes:
        language: ``c``, ``c++`` or ``fortran``.
        folder: The compiler's working folder, to which relative names refer; empty if, for privacy, not recorded.
        options: The options that affect parsing, in order, each as one word: macros, include directories, forced
            includes, the language standard, OpenMP, and Fortran's source form.
        predefined: Macros that the compiler itself defines under these options, with their values. In C and C++, only
            macros that depend on the options; None for an undefined macro. Empty if the compiler did not report them.
        files: Each file's name in regions → the identifier of its text, as in ``Region.text``. An included file counts
            as compiled with the options of the source that includes it.
    """

    language: str
    folder: str = ""
    options: tuple[str, ...] = ()
    predefined: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: Any) -> Compiled:
        """Read a record from JSON.

        Raises:
            ValueError: The value is not such a record.
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
    """Return the string that records in an object file how it was compiled; the linker keeps one copy."""
    return _MARK + json.dumps(asdict(compiled)).encode("ascii")


def entries(file: bytes | mmap) -> Iterator[Compiled]:
    """Yield the records of ``entry`` in an executable of any format.

    Args:
        file: The bytes of the executable, or a memory map of it.
    """
    for text in marked_texts(file, _MARK):
        try:
            yield Compiled.from_json(json.loads(text))
        except ValueError:  # only the mark, for example in a copy of this module, or a record of another version
            continue


def grouped(units: Iterable[Compiled]) -> tuple[Compiled, ...]:
    """Merge units with equal options, in the order in which the options first occur."""
    found: dict[str, Compiled] = {}
    for unit in units:
        key = json.dumps(asdict(replace(unit, files={})), sort_keys=True)
        known = found.setdefault(key, unit)
        found[key] = replace(known, files={**known.files, **unit.files})
    return tuple(found.values())
