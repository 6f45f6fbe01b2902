"""The regions that a rule of a plan matches."""

from __future__ import annotations

import os.path
import re
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from ..region import UPWARDS, Region

__all__ = ["KEYS", "Pattern", "spelled"]

KEYS: Final = ("kind", "name", "file", "function", "ordinal")
_SPECIAL: Final = re.compile(r"[*?[]")
_FORTRAN: Final = re.compile(r"\.f(?:or|tn|pp|\d\d)?$", re.IGNORECASE)


class Pattern(NamedTuple):
    """A pattern for regions; an attribute that is None matches anything.

    Attributes:
        kind: The region's kind, as in ``Region``. Kind, name, file and function are ``fnmatch`` patterns.
        name: The region's name.
        file: The region's file: its whole path or the end of its path.
        function: The function that encloses the region, or is the region.
        ordinal: The region's index among the regions of its kind in its function.
    """

    kind: str | None = None
    name: str | None = None
    file: str | None = None
    function: str | None = None
    ordinal: int | None = None

    @classmethod
    def of(cls, region: Region) -> Pattern:
        """Return the pattern that matches only regions with this region's identity."""
        kind, file, function, ordinal = region.identity
        return cls(kind, None, _escaped(file), _escaped(function), ordinal)

    @classmethod
    def of_name(cls, region: Region) -> Pattern:
        """Return the pattern that matches all regions with the same name, kind, file and function as ``region``."""
        return cls.of(region)._replace(name=_escaped(region.name), ordinal=None)

    def matches(self, region: Region) -> bool:
        """Return whether a region matches."""
        return (
            self.ordinal in {None, region.ordinal}
            and _is(self.kind, region.kind)
            and self.is_of_file(region.file)
            and _is_called(self.function, region.function or region.name, region.file)
            and _is_called(self.name, region.name, region.file)
        )

    def is_of_file(self, file: str) -> bool:
        """Return whether regions in a file can match; a relative name may be relative to any folder."""
        if self.file is None or _is(self.file, file):
            return True
        if self.file.rpartition("/")[2] != file.rpartition("/")[2] and not _SPECIAL.search(self.file):
            return False  # fast path, because most rules of a large plan are for other files
        whole = os.path.abspath(file)  # noqa: PTH100 - Path.resolve would follow links
        if self.file.startswith("/"):
            return _is(self.file, whole)
        end = f"/{UPWARDS.sub('', self.file)}"
        return whole.endswith(end) or _is(f"*{end}", whole)

    def __str__(self) -> str:
        """Return the pattern as in a plan: ``kind = "loop", function = "solve"``."""
        return ", ".join(f"{key} = {spelled(value)}" for key, value in self.keys().items())

    def keys(self) -> dict[str, str | int]:
        """Return the keys that are set, in the order in which plans list them."""
        return {key: value for key in KEYS if (value := getattr(self, key)) is not None}


def spelled(value: object) -> str:
    """Return a value as TOML, which has the same escapes as JSON."""
    import json  # noqa: PLC0415 - builds never call this function

    found = list(value) if isinstance(value, tuple) else value
    return json.dumps(found, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_called(wanted: str | None, found: str, file: str) -> bool:
    """Return whether the name ``found`` matches a pattern; in Fortran files, case is ignored."""
    if wanted is None or not _FORTRAN.search(file):
        return _is(wanted, found)
    return _is(wanted.lower(), found.lower())


def _is(wanted: str | None, found: str) -> bool:
    if wanted is None or wanted == found:
        return True
    # Only patterns with wildcards use fnmatch, which caches too few patterns for plans with thousands of rules.
    return _SPECIAL.search(wanted) is not None and fnmatchcase(found, wanted)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"[\g<0>]", text)
