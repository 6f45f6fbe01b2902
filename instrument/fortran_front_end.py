"""Find regions in a command's Fortran sources, given their form and include folders, and insert probes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from .choice import DEFAULT_CHOICE, Choice
from .code_region import CodeRegions, Instrumented
from .compiled import compiled_assembly
from .compiler import Argument, CompilerCommand, Role
from .expression import expression
from .fortran.form import Form
from .fortran.source import SourceUnit
from .fortran_modules import module_files_read
from .fused import fused_assembly
from .line_markers import quoted_name
from .openmp import openmp_is_on
from .toolchain import USUAL_DIRECTORIES

__all__ = ["FortranFrontEnd"]

_FIXED_SUFFIX: Final = expression(r"\.(?:f|for|ftn|fpp)$", re.IGNORECASE)
_SUBMODULE: Final = expression(rb"^(?:\xef\xbb\xbf)?\s*submodule\s*\(", re.I | re.M)
_PREPROCESSED: Final = "f95-cpp-input"  # the compiler's name for preprocessed Fortran
_FIXED_LINE: Final = 72
_WIDE_LINE: Final = 132
# The options for free and fixed form of the compilers of GNU and LLVM, Cray, Intel, and NVIDIA.
_FORMS: Final = {
    **dict.fromkeys(["-ffixed-form", "-ffixed", "-fixed", "-FI", "-Mfixed", "-Mnofree", "-Mnofreeform"], True),
    **dict.fromkeys(["-ffree-form", "-ffree", "-free", "-FR", "-Mfree", "-Mfreeform"], False),
}
_LENGTH_OPTION: Final = expression(r"-f(fixed|free)-line-length[-=](\d+|none)$")
_EXTENDED: Final = expression(r"-(?:extend-source=?(\d*)|Mextend|N(\d+)|(72|80|132))$")  # longer lines in fixed form


class FortranFrontEnd:
    """The front end for Fortran; see ``FrontEnd``.

    Args:
        command: The user's command.
        choice: The requested regions.
    """

    def __init__(self, command: CompilerCommand, choice: Choice = DEFAULT_CHOICE) -> None:
        self._command = command
        self._options = command.joined(Role.BOTH)
        self._choice = choice

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Return a text with probes, headed by a line marker with the source's name, and its regions."""
        done = self._unit(source, text).instrumented()
        marker = b"" if done.text.startswith(b"#") else os.fsencode(f'# 1 "{quoted_name(source.words[0])}"\n')
        assembly = (
            *done.assembly,
            *compiled_assembly(self._command, source, done.found, self.form(source).options),
            *fused_assembly(self._command, _PREPROCESSED),
        )
        return done._replace(text=marker + done.text, assembly=assembly)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Return the regions of a text."""
        return self._unit(source, text).found()

    def _unit(self, source: Argument, text: bytes) -> SourceUnit:
        modules = module_files_read(self._command, text) if _SUBMODULE.search(text) else []
        places = self.include_directories(source)
        return SourceUnit(text, source.words[0], self.form(source), places, self._choice, modules=modules)

    def suffix(self, source: Argument) -> str:
        """Return the file suffix for Fortran that is not preprocessed."""
        return ".f" if self.form(source).fixed else ".f90"

    def form(self, source: Argument) -> Form:
        """Return the line layout of a source."""
        fixed = source.language.startswith("f77") or bool(_FIXED_SUFFIX.search(source.words[0]))
        lengths = {True: _FIXED_LINE, False: self._command.fortran.free_line}
        simd = openacc = debug_lines = backslash = False
        openmp = openmp_is_on(self._options)
        for option in self._options:
            match option:
                case "-fopenmp-simd" | "-fno-openmp-simd":
                    simd = option == "-fopenmp-simd"
                case "-fopenacc" | "-fno-openacc":
                    openacc = option == "-fopenacc"
                case "-fd-lines-as-code" | "-fd-lines-as-comments":
                    debug_lines = option == "-fd-lines-as-code"
                case "-fbackslash" | "-fno-backslash":
                    backslash = option == "-fbackslash"
            if option in _FORMS:
                fixed = _FORMS[option]
            lengths |= _line_lengths(option)
        if self._command.fortran.rewraps and self._command.preprocesses(source):
            lengths[True] = _FIXED_LINE
        return Form(fixed, lengths[fixed], openmp or simd, openmp, openacc, debug_lines, backslash)

    def include_directories(self, source: Argument) -> list[str]:
        """Return the folders to search for included files: the source's and the user's, but not those of mpif.h."""
        words = [each.words for each in self._command.arguments if each.words[0].startswith("-I")]
        given = [pair[1] if len(pair) > 1 else pair[0].removeprefix("-I") for pair in words]
        return [
            str(Path(source.words[0]).parent),
            *(each for each in given if not f"{Path(each).resolve()}/".startswith(USUAL_DIRECTORIES)),
        ]


def _line_lengths(option: str) -> dict[bool, int]:
    """Return the line length that an option sets, keyed by whether the form is fixed; 0 for all characters."""
    if match := _LENGTH_OPTION.match(option):
        return {match[1] == "fixed": int(match[2]) if match[2].isdigit() else 0}
    if match := _EXTENDED.match(option):
        return {True: int(next(filter(None, match.groups()), _WIDE_LINE))}
    return {}
