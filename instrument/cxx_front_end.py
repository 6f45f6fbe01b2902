"""C++ sources of a command: preprocessed, and read with the compiler's header directories apart."""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar, Final

from ..errors import SourceError
from .c.insert import insert_guards
from .c.preprocessed import Preprocessed
from .code_region import CodeRegion, CodeRegions, Instrumented
from .compiler import Argument, Role
from .cxx.regions import find_regions
from .cxx.standard import guards_are_literal
from .preprocessed_front_end import PreprocessedFrontEnd

__all__ = ["CxxFrontEnd"]

_STANDARD: Final = re.compile(r"-(?:-std|std)=(?P<gnu>gnu|c)\+\+(?P<year>\w\w)$")
_STANDARDS: Final = frozenset(["98", "03", "0x", "11", "1y", "14", "1z", "17", "2a", "20", "2b", "23", "2c", "26"])
_NEWEST: Final = "26"
_MEANINGFUL: Final = frozenset(["-ansi", "-m32", "-m64", "-mx32", "-fchar8_t", "-fno-char8_t", "-fms-extensions"])


class CxxFrontEnd(PreprocessedFrontEnd):
    """The front end for C++; see ``FrontEnd``."""

    language: ClassVar[str] = "c++"

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put guards into preprocessed text.

        Raises:
            SourceError: The text cannot be read, or is compiled with modules.
        """
        if any(option.startswith("-fmodule") for option in self.command.of(Role.BOTH)):
            raise SourceError(source.words[0], 1, 1, "modules are left to the compiler")
        return super().instrument(source, text)

    def find(self, unit: Preprocessed) -> CodeRegions:
        """Find the regions of a unit."""
        return find_regions(unit, self._flags, self.choice, openmp=self.openmp)

    def insert(self, unit: Preprocessed, regions: tuple[CodeRegion, ...]) -> str:
        """Give a unit's text with guards."""
        return insert_guards(unit, regions, cxx=True, constexpr=guards_are_literal(self._flags))

    def suffix(self, source: Argument) -> str:
        """Give the suffix of preprocessed C++."""
        return ".ii"

    @cached_property
    def _flags(self) -> tuple[str, ...]:
        """Pick the options that decide what is C++; the parser's own default is that of recent compilers."""
        found = []
        for option in self.command.of(Role.BOTH):
            if option in _MEANINGFUL:
                found.append(option)
            elif match := _STANDARD.match(option):
                year = match["year"] if match["year"] in _STANDARDS else _NEWEST
                found.append(f"-std={match['gnu']}++{year}")
        return tuple(found)
