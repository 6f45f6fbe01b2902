"""Find regions in a command's C and C++ sources, outside the compiler's own headers, and insert probes."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Final

from ..errors import SourceError
from .c_family.insert import insert_guards
from .c_family.preprocessed import Preprocessed
from .c_family.regions import find_regions
from .choice import DEFAULT_CHOICE, Choice
from .code_region import CodeRegions, Instrumented
from .compiled import compiled_assembly
from .compiler import Argument, CompilerCommand, Role
from .expression import expression
from .fused import fused_assembly
from .openmp import openmp_is_on
from .toolchain import Toolchain
from .unprobed import assembly

__all__ = ["CFamilyFrontEnd"]

_STANDARD: Final = expression(r"-(?:-std|std)=(?P<name>(?:gnu|c)(?P<cxx>\+\+)?)(?P<year>\w\w)$")
_CXX_STANDARDS: Final = frozenset(["98", "03", "0x", "11", "1y", "14", "1z", "17", "2a", "20", "2b", "23", "2c", "26"])
_C_STANDARDS: Final = frozenset(["89", "90", "99", "9x", "11", "1x", "17", "18", "2x", "23"])
_MEANINGFUL: Final = frozenset(["-ansi", "-m32", "-m64", "-mx32", "-fchar8_t", "-fno-char8_t", "-fms-extensions"])
_MAPS_COVERAGE: Final = "-fcoverage-mapping"
_LITERAL: Final = expression(r"-std=(?:gnu|c)\+\+2\w")


class CFamilyFrontEnd:
    """The front end for C and C++; see ``FrontEnd``.

    Args:
        command: The user's command.
        choice: The requested regions.
        cxx: Whether the sources are C++.
    """

    def __init__(self, command: CompilerCommand, choice: Choice = DEFAULT_CHOICE, *, cxx: bool) -> None:
        self._command = command
        self._choice = choice
        self._cxx = cxx

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Return preprocessed text with guards inserted, and its regions.

        Raises:
            SourceError: The text cannot be read, or is compiled with modules.
        """
        options = self._command.of(Role.BOTH)
        if self._cxx and any(option.startswith("-fmodule") for option in options):
            raise SourceError(source.words[0], 1, 1, "C++ modules are not supported")
        if _MAPS_COVERAGE in options:
            raise SourceError(source.words[0], 1, 1, "coverage would be mapped to the source text with probes")
        unit = self._unit(source, text)
        found = self._found(unit)
        said = [
            *assembly(found),
            *compiled_assembly(self._command, source, found, self._flags),
            *fused_assembly(self._command, self._language),
        ]
        text_with_guards = insert_guards(
            unit,
            found.regions,
            cxx=self._cxx,
            constexpr=self._guards_are_literal,
            apart=self._command.reads_profile,
            shared=self._command.lacks_thread_variables,
            said=said,
        )
        return Instrumented(text_with_guards.encode("latin-1"), found)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Return the regions of preprocessed text; raises the same errors as ``instrument``."""
        return self._found(self._unit(source, text))

    def suffix(self, source: Argument) -> str:
        """Return the file suffix for preprocessed C or C++."""
        return ".ii" if self._cxx else ".i"

    def _unit(self, source: Argument, text: bytes) -> Preprocessed:
        return Preprocessed(text.decode("latin-1"), os.fsencode(source.words[0]).decode("latin-1"), self._directories)

    def _found(self, unit: Preprocessed) -> CodeRegions:
        """Return the requested regions of a unit, instrumented or not."""
        found = find_regions(
            unit,
            self._choice,
            cxx=self._cxx,
            flags=self._flags,
            openmp=openmp_is_on(self._command.of(Role.BOTH)),
            literal_guards=self._guards_are_literal,
        )
        return self._choice.applied(found)

    @cached_property
    def _directories(self) -> tuple[str, ...]:
        """Return the compiler's own header folders, each with a trailing slash."""
        return Toolchain(self._command.compiler, self._language).directories

    @property
    def _language(self) -> str:
        return "c++" if self._cxx else "c"

    @cached_property
    def _flags(self) -> tuple[str, ...]:
        """Return the options that select the dialect of C or C++; without any, the parser assumes a recent dialect."""
        known, newest = (_CXX_STANDARDS, "26") if self._cxx else (_C_STANDARDS, "23")
        found = []
        for option in self._command.of(Role.BOTH):
            if option in _MEANINGFUL:
                found.append(option)
            elif (match := _STANDARD.match(option)) and bool(match["cxx"]) is self._cxx:
                found.append(f"-std={match['name']}{match['year'] if match['year'] in known else newest}")
        return tuple(found)

    @property
    def _guards_are_literal(self) -> bool:
        """Whether guards are allowed in constant evaluation.

        They are allowed since C++20, because destructors may be ``constexpr``. If no standard is given,
        an earlier one is assumed.
        """
        standards = [flag for flag in self._flags if flag.startswith("-std=")]
        return bool(standards and _LITERAL.fullmatch(standards[-1]))
