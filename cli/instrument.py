"""``autoanalyzer instrument``: write sources with probes, to inspect them or compile them with another build system."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..atomic_file import replacing
from ..errors import InputError, UsageError
from .source_arguments import USAGE, add_source_arguments, sources_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"autoanalyzer instrument -o DIR {USAGE}"
    parser.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR", help="the folder to write to")
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write ``DIR/NAME.i``, ``.ii``, ``.f`` or ``.f90`` for each source, and print its number of regions."""
    folder: Path = arguments.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: expected a folder: {error.strerror}") from None
    written: set[Path] = set()
    for source in sources_of(arguments):
        path = folder / source.output
        if path in written:
            raise UsageError(f"{source.name}: two sources have this base name; write them to different folders")
        written.add(path)
        instrumented = source.instrument()
        with replacing(path) as stream:
            stream.write(instrumented.text)
        count = sum(not found.reason for found in instrumented.found.regions)
        sys.stdout.write(f"{path}: {count} region{'s' * (count != 1)}\n")
        if source.stub:
            with replacing(folder / source.stub.name) as stream:
                stream.write(source.stub.read_bytes())
        for problem in instrumented.found.problems:
            sys.stderr.write(f"autoanalyzer: {problem}\n")
    return 0
