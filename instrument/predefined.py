"""Find the macros that a compiler predefines."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from typing import Final

from ..compiler_records import without_records
from ..digests import digest
from .expression import expression
from .store import open_store
from .tool_fingerprint import processor
from .toolchain import Toolchain

__all__ = ["predefined_macros"]

_MACRO: Final = expression(rb"^#define (\w+)(?: ([^\n]*))?$", re.M)


def predefined_macros(compiler: list[str], language: str, options: Sequence[str]) -> dict[str, str]:
    """Return a compiler's predefined macros and their definitions (cached); empty if the compiler reports none.

    Args:
        compiler: The compiler's command.
        language: The language, as a value of ``-x``.
        options: The options that may affect the macros.
    """
    words = [*compiler, *options, "-dM", "-E", "-x", language, os.devnull]
    native = [processor()] if any(word.endswith("=native") for word in words) else []
    store, key = open_store(), digest("macros", Toolchain(compiler, language).identity, *words, *native)
    known = store.get(key)
    if known is None:
        known = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=without_records(),
            check=False,
        ).stdout
        store.put(key, known)
    return {name.decode("ascii"): os.fsdecode(value) for name, value in sorted(_MACRO.findall(known))}
