"""Find out whether a program has been rebuilt from changed sources since it was run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

from ..errors import InputError
from ..experiment import Experiment, Region
from ..experiment.region import DESCRIPTOR_VERSION, changed_file

__all__ = ["changed_source"]

_DESCRIPTOR: Final = re.compile(rb"%s\|[^\0]{1,4000}" % DESCRIPTOR_VERSION.encode())


def changed_source(command: Sequence[str], experiment: Experiment) -> str | None:
    """Return a source file of a run that has changed in the program since, or None if no file is known to have changed.

    Args:
        command: The command that starts the program.
        experiment: An earlier run of this command.
    """
    word = next((each for each in command if Path(each).name == experiment.notes.program), None)
    found = shutil.which(word) if word else None
    if found is None:
        return None
    return changed_file((path.region for path in experiment.call_paths), _regions(Path(found)))


def _regions(program: Path) -> Iterable[Region]:
    """Yield the regions whose probes a program contains, except those in its shared libraries."""
    with (
        suppress(OSError, ValueError),
        program.open("rb") as stream,
        mmap(stream.fileno(), 0, access=ACCESS_READ) as data,
    ):
        for each in _DESCRIPTOR.finditer(data):
            with suppress(InputError):
                yield Region.from_descriptor(each[0].decode("utf-8", "replace"))
