"""Find the attributes, such as PURE, of MODULE PROCEDUREs, which only their interfaces contain."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from ..expression import expression
from .lines import Statement
from .meaning import MODULE_PROCEDURE, meaning_of
from .units import Procedure

__all__ = ["complete"]

_GZIP: Final = b"\x1f\x8b"
# In module files, GNU's compiler lists a procedure's attributes; LLVM's compiler writes the interface in Fortran.
_PURE: Final = expression(
    rb"'(\w+)'\s+'\w+'\s+'[^']*'\s+\d+\s+\(\(PROCEDURE\s[^()]*\sPURE\s"
    rb"|^(?!.*\bimpure\b).*\b(?:pure|elemental)\b.*\b(?:subroutine|function)\s+(\w+)",
    re.M,
)


def complete(procedures: Iterable[Procedure], statements: Iterable[Statement], modules: Sequence[Path]) -> None:
    """Add to each MODULE PROCEDURE the prefix of its interface, from the source or from a module's file.

    Args:
        procedures: The procedures of a source, which are changed in place.
        statements: The statements of the source.
        modules: The compiler's files for modules that the source's submodules may belong to.
    """
    bodies = [each for each in procedures if each.meaning.word == MODULE_PROCEDURE]
    if not bodies:
        return
    pure = {name.decode().lower() for path in modules for found in _PURE.findall(_read(path)) for name in found if name}
    prefixes = dict.fromkeys(pure, "pure module")
    for meaning in map(meaning_of, statements):
        if "module" in meaning.word.split() and meaning.word != MODULE_PROCEDURE:
            prefixes[meaning.name.lower()] = meaning.word
    for body in bodies:
        body.meaning = body.meaning._replace(word=prefixes.get(body.meaning.name.lower(), "module"))


def _read(path: Path) -> bytes:
    """Return the uncompressed text of a module's file, or an empty string if the file cannot be read."""
    try:
        data = path.read_bytes()
        return zlib.decompress(data, zlib.MAX_WBITS | 16) if data.startswith(_GZIP) else data
    except (OSError, zlib.error):
        return b""
