"""Query a compiler for its header folders, and for the programs that it consists of."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from ..compiler_records import without_records
from ..digests import digest
from .compiler import no_compiler
from .expression import expression
from .store import joined, open_store, parts_of
from .tool_fingerprint import compiler_environment, program_states

__all__ = ["USUAL_DIRECTORIES", "Toolchain"]

USUAL_DIRECTORIES: Final = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_SEARCH_LIST: Final = "search starts here:"
_SEARCH_END: Final = "End of search list."
_GNU: Final = frozenset(["cc1", "cc1plus", "f951"])
_DRIVER: Final = expression(r"^COLLECT_GCC=(.+)$", re.M)


class Toolchain:
    """Facts about a compiler, which is queried once; the answer is cached as long as its programs do not change.

    Args:
        compiler: The compiler's command.
        language: One of the compiler's languages, as a value of ``-x``.

    Attributes:
        directories: The compiler's own header folders, each with a trailing slash; usual folders if it reports none.
        identity: A digest that changes with the compiler.
        programs: The programs that the compiler consists of.

    Raises:
        UsageError: There is no such compiler.
    """

    def __init__(self, compiler: list[str], language: str) -> None:
        store = open_store()
        key = digest("toolchain 2", language, *compiler, *program_states(compiler), *compiler_environment())
        known = store.get(key)
        programs, states, version, directories = parts_of(known) if known else _ask(compiler, language)
        self.programs = _read(programs)
        if known and _text(program_states(self.programs)) != states:
            programs, states, version, directories = _ask(compiler, language)
            known, self.programs = None, _read(programs)
        if known is None:
            store.put(key, joined([programs, states, version, directories]))
        self.directories: tuple[str, ...] = tuple(_read(directories)) or USUAL_DIRECTORIES
        self.identity = digest(key, states, version)

    @property
    def is_gnu(self) -> bool:
        """Whether the compiler, perhaps called through a wrapper, is one of GNU's."""
        return any(Path(program).name in _GNU for program in self.programs)


def _ask(compiler: list[str], language: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the compiler's programs, their states, a digest of its answers, and its header folders."""
    import subprocess  # noqa: PLC0415 - a compiler is queried only once

    try:
        done = subprocess.run(
            [*compiler, "-E", "-v", "-x", language, os.devnull],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**without_records(), "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise no_compiler(compiler[0], error) from None
    text = os.fsdecode(done.stderr)
    listed = text.partition(_SEARCH_LIST)[2].partition(_SEARCH_END)[0].splitlines()
    programs = [*_DRIVER.findall(text), *_called(text)]
    directories = sorted({line.strip().rstrip("/") + "/" for line in listed if line.startswith(" ")})
    return _text(programs), _text(program_states(programs)), digest(text).encode(), _text(directories)


def _text(words: list[str]) -> bytes:
    return os.fsencode("\n".join(words))


def _read(text: bytes) -> list[str]:
    return os.fsdecode(text).splitlines()


def _called(text: str) -> list[str]:
    """Return the programs that a driver calls, according to its output, which has a call per line."""
    import shlex  # noqa: PLC0415

    found = []
    for line in text.splitlines():
        if line.startswith((" /", ' "/')) and " -" in line:
            try:
                found += shlex.split(line)[:1]
            except ValueError:
                continue
    return found
