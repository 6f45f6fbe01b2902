"""Files that a result is written to: JSON, CSV, HTML."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import UsageError
from ..files import replacing

__all__ = ["add_target_arguments", "check_targets", "write_target"]


def add_target_arguments(parser: argparse.ArgumentParser, kinds: Mapping[str, str]) -> None:
    """Add an option for each kind of file, with what is written to it."""
    for kind, what in kinds.items():
        parser.add_argument(f"--{kind}", type=Path, metavar="FILE", help=f"write {what} to FILE; - is standard output")


def check_targets(arguments: argparse.Namespace, kinds: Sequence[str]) -> None:
    """Refuse files that could not be written, before there is work to lose.

    Raises:
        UsageError: A folder does not exist, or a file is a folder itself.
    """
    for kind in kinds:
        target: Path | None = getattr(arguments, kind)
        if target and (target.is_dir() or not target.parent.is_dir()):
            raise UsageError(f"--{kind} {target}: a file in a folder that exists wanted")


def write_target(target: Path, content: bytes) -> None:
    """Write a file whole; ``-`` is standard output."""
    if str(target) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with replacing(target) as stream:
        stream.write(content)
