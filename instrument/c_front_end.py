"""C sources of a command: preprocessed, and read with the compiler's header directories apart."""

from __future__ import annotations

from typing import ClassVar

from .c.insert import insert_guards
from .c.preprocessed import Preprocessed
from .c.regions import find_regions
from .code_region import CodeRegion, CodeRegions
from .compiler import Argument
from .preprocessed_front_end import PreprocessedFrontEnd

__all__ = ["CFrontEnd"]


class CFrontEnd(PreprocessedFrontEnd):
    """The front end for C; see ``FrontEnd``."""

    language: ClassVar[str] = "c"

    def find(self, unit: Preprocessed) -> CodeRegions:
        """Find the regions of a unit."""
        return find_regions(unit, self.choice, openmp=self.openmp)

    def insert(self, unit: Preprocessed, regions: tuple[CodeRegion, ...]) -> str:
        """Give a unit's text with guards."""
        return insert_guards(unit, regions)

    def suffix(self, source: Argument) -> str:
        """Give the suffix of preprocessed C."""
        return ".i"
