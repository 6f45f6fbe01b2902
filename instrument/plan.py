"""A plan: regions that a build leaves out, as a run with ``--max-overhead`` writes it, or a user.

.. code-block:: toml

    version = 1

    [[exclude]]
    kind = "function"
    file = "a.c"
    function = "add"
    ordinal = 0
    reason = "entered 6,000,000 times, for 18 ns each"

Other keys and tables are left to later versions.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..errors import InputError
from ..experiment.region import Region
from .code_region import CodeRegion, CodeRegions

__all__ = ["Plan", "read_plan"]

_VARIABLE: Final = "AUTOANALYZER_PLAN"
_VERSION: Final = 1
_Identity = tuple[str, str, str, int]


@dataclass(frozen=True)
class Plan:
    """What is left out, by identity, with the reason."""

    excluded: dict[_Identity, str] = field(default_factory=dict)

    def reason(self, region: Region) -> str:
        """Say why a region is left out; empty if it is not."""
        found = self.excluded.get(region.identity)
        return "" if found is None else f"left out by the plan: {found}" if found else "left out by the plan"

    def applied(self, found: CodeRegions) -> CodeRegions:
        """Leave regions out."""
        if not self.excluded:
            return found
        return replace(found, regions=tuple(self._applied(each) for each in found.regions))

    def _applied(self, found: CodeRegion) -> CodeRegion:
        return found if found.reason else replace(found, reason=self.reason(found.region))


def read_plan(environment: Mapping[str, str] = os.environ) -> Plan:
    """Read the plan that ``AUTOANALYZER_PLAN`` names; without it nothing is left out.

    Raises:
        InputError: The file cannot be read, or is no plan.
    """
    name = environment.get(_VARIABLE)
    if not name:
        return Plan()
    import tomllib  # noqa: PLC0415 - most builds have no plan

    try:
        found = tomllib.loads(Path(name).read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise InputError(f"{_VARIABLE}={name}: a plan wanted, found {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{_VARIABLE}={name}: a plan in TOML wanted: {error}") from None
    if found.get("version", _VERSION) != _VERSION:
        raise InputError(f"{_VARIABLE}={name}: a plan of version {_VERSION} wanted, found {found['version']}")
    entries = found.get("exclude", [])
    if not isinstance(entries, list):
        raise InputError(f"{_VARIABLE}={name}: exclude as a list of regions wanted, found {entries!r:.60}")
    return Plan(dict(_entry(name, each) for each in entries))


def _entry(name: str, entry: Any) -> tuple[_Identity, str]:
    match entry:
        case {"kind": str(kind), "file": str(file), "function": str(function), **rest}:
            ordinal, reason = rest.get("ordinal", 0), rest.get("reason", "")
            if isinstance(ordinal, int) and isinstance(reason, str):
                return (kind, file, function, ordinal), reason
    raise InputError(
        f"{_VARIABLE}={name}: kind, file, function, ordinal and reason of a region wanted, found {entry!r:.120}"
    )
