"""Read build records from a run's programs and shared libraries: functions without probes, and compiler options.

Files that are no longer on this machine, or that were stripped of all sections that are not loaded, have no records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...experiment import Region
from ...experiment.compiled import Compiled, grouped
from ...experiment.compiled import entries as compiled_entries
from ...experiment.unprobed import entries as unprobed_entries

__all__ = ["compiled_files", "unprobed_callees"]


def unprobed_callees(regions: Collection[Region], objects: Iterable[str]) -> dict[str, str]:
    """Map descriptors of regions that call functions without probes to these functions' names, one per line."""
    known = {region.descriptor for region in regions}
    found: dict[str, dict[str, None]] = {}
    for text in _texts(objects):
        for descriptor, names in unprobed_entries(text):
            if descriptor in known:
                found.setdefault(descriptor, {}).update(dict.fromkeys(names))
    return {descriptor: "\n".join(names) for descriptor, names in sorted(found.items())}


def compiled_files(regions: Collection[Region], objects: Iterable[str]) -> tuple[Compiled, ...]:
    """Return how the files of some regions were compiled, if this was recorded."""
    known = {region.file for region in regions}
    units: list[Compiled] = []
    for text in _texts(objects):
        for unit in compiled_entries(text):
            files = {name: digits for name, digits in unit.files.items() if name in known}
            units += [replace(unit, files=files)] if files else []
    return grouped(units)


def _texts(objects: Iterable[str]) -> Iterator[mmap]:
    """Yield the files of programs and libraries, mapped into memory, in the order of their names."""
    for file_name in sorted(set(objects)):
        with (
            suppress(OSError, ValueError),
            Path(file_name).open("rb") as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as text,
        ):
            yield text
