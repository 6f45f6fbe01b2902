"""A plan of what the next build leaves out, from what a run has throttled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..experiment import Region
from ..files import replacing

__all__ = ["write_plan"]

_HEAD: Final = """\
# Regions that the next build leaves out: AUTOANALYZER_PLAN={path} make CC=aa-mpicc
# A region is what its kind, file, function and ordinal say; drop an entry to have it measured again.
"""


def write_plan(path: Path, throttled: Mapping[str, str]) -> None:
    """Write a plan that leaves regions out, by descriptor, each with the reason.

    Raises:
        InputError: The file cannot be written.
    """
    lines = [_HEAD.format(path=path), "version = 1\n"]
    for descriptor, reason in throttled.items():
        kind, file, function, ordinal = Region.from_descriptor(descriptor).identity
        lines += [
            "\n[[exclude]]\n",
            *(f"{key} = {_text(value)}\n" for key, value in (("kind", kind), ("file", file), ("function", function))),
            f"ordinal = {ordinal}\n",
            f"reason = {_text(reason)}\n",
        ]
    with replacing(path) as stream:
        stream.write("".join(lines).encode("utf-8", "surrogateescape"))


def _text(value: str) -> str:
    """Quote a text: what JSON escapes, TOML does in the same way."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
