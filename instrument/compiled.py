"""Record in an object how its source was compiled, so that commands can read the source later in the same way."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from ..digests import text_of
from ..experiment.compiled import Compiled, entry
from .code_region import CodeRegions
from .compiler import Argument, CompilerCommand, Role
from .expression import expression
from .object_notes import noted
from .openmp import openmp_is_on
from .predefined import predefined_macros

__all__ = ["compiled_assembly"]

# Option of the preprocessor → its usual spelling; the first match counts.
_SPELLINGS: Final = {
    "-isystem-after": "-idirafter",
    **{name: name for name in ("-D", "-U", "-I", "-include", "-imacros", "-idirafter", "-isystem", "-iquote")},
}
_OF_FILES: Final = ("-include", "-imacros", "-idirafter", "-isystem", "-iquote", "-I")
_ALONE: Final = ("-nostdinc", "-undef", "-trigraphs")
_NO_FILE: Final = ("-include-pch",)  # files that only the compiler that wrote them can read
_HANDED_ON: Final = "-Wp,"
_NEXT_HANDED_ON: Final = expression(r",(?=-\w)")
# Quoted texts in macros are emptied, because they affect no condition and may be secrets. The name of a header is kept,
# because it is needed to include the header.
_QUOTED: Final = expression(r"""(["'])((?:\\.|(?!\1).){2,})\1""", re.S)
_HEADER: Final = expression(r"\.(?:h|hh|hpp|hxx|inc|def|fh)\\?$")
_PREFIX_MAP: Final = expression(r"-f(?:file|debug)-prefix-map=([^=]*)=(.*)", re.S)
_OF_MACROS: Final = ("-f", "-m", "-O", "-pthread", "-q", "-x", "-std", "-ansi", "-openmp")


def compiled_assembly(
    command: CompilerCommand, source: Argument, found: CodeRegions, language_options: Sequence[str]
) -> list[str]:
    """Return assembler lines that record how a source and its included files were compiled.

    Args:
        command: The user's command.
        source: The source.
        found: The source's regions; files without instrumented regions are left out.
        language_options: Options by which the front end selects the language.
    """
    files = {
        each.region.file: each.region.text or text_of(each.region.file) for each in found.regions if not each.reason
    }
    if not files:
        return []
    language = "fortran" if source.is_fortran else "c++" if source.is_cxx else "c"
    renamed = [match.groups() for option in command.of(Role.BOTH) if (match := _PREFIX_MAP.match(option))]
    openmp = ["-fopenmp"] if openmp_is_on(command.joined(Role.BOTH)) and not source.is_fortran else []
    options = [_renamed(each, renamed) for each in (*_preprocessing(command), *_of_environment(language))]
    unit = Compiled(
        language,
        _renamed(_folder(), renamed),
        (*language_options, *openmp, *options),
        _predefined(command, source, language_options),
        files,
    )
    return noted([entry(unit)])


def _folder() -> str:
    """Return the path of the working folder, or an empty string if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _preprocessing(command: CompilerCommand) -> Iterator[str]:
    """Yield the preprocessor's options, each as one word."""
    roles = {Role.PREPROCESS, Role.DEPENDENCY, Role.BOTH}
    for argument in (each for each in command.arguments if each.role in roles):
        first, *value = argument.words
        if first.startswith(_HANDED_ON):
            words = _NEXT_HANDED_ON.split(first.removeprefix(_HANDED_ON))
        elif first == "-Xpreprocessor":
            words = value
        elif first == "-Xclang":
            words = ["".join(each for each in value if each != first)]
        else:
            words = ["".join(argument.words)]
        for word in words:
            if word in _ALONE:
                yield word
            elif not word.startswith(_NO_FILE):
                yield from _spelled(word)


def _spelled(word: str) -> Iterator[str]:
    """Yield a preprocessor option in its usual spelling, unless the option is irrelevant."""
    if name := next(filter(word.startswith, _SPELLINGS), ""):
        value = word.removeprefix(name)
        yield _SPELLINGS[name] + (_QUOTED.sub(_unless_header, value) if name == "-D" else value)


def _unless_header(text: re.Match[str]) -> str:
    """Return a quoted text unchanged if it is the name of a header, or else only the two quotes."""
    return text[0] if _HEADER.search(text[2]) else 2 * text[1]


def _of_environment(language: str) -> Iterator[str]:
    """Yield options for the header folders in the environment variables that GNU's and LLVM's compilers read."""
    own = {"c": "C_INCLUDE_PATH", "c++": "CPLUS_INCLUDE_PATH"}
    for option, variable in (("-I", "CPATH"), ("-isystem", own.get(language, ""))):
        if folders := os.environ.get(variable):
            yield from (f"{option}{each or '.'}" for each in folders.split(os.pathsep))


def _renamed(option: str, renamed: Iterable[tuple[str, ...]]) -> str:
    """Return a folder, or an option with a folder, renamed as in debug information.

    Objects must not contain paths that their debug information does not contain.

    Args:
        option: The folder or the option.
        renamed: Old and new prefixes of paths.
    """
    start = next((each for each in _OF_FILES if option.startswith(each)), "")
    if option.startswith("-") and not start:
        return option
    path = option.removeprefix(start)
    for old, new in reversed([*renamed]):
        if path.startswith(old):
            return start + (new + path.removeprefix(old) or ".")
    return option


def _predefined(command: CompilerCommand, source: Argument, language_options: Sequence[str]) -> dict[str, str | None]:
    """Map predefined macros to their replacements, None if undefined; for C and C++, only those that options change."""
    language = source.language_name
    preprocess = command.fortran.preprocess if source.is_fortran else ()
    both = (each.words for each in command.arguments if each.role is Role.BOTH)
    options = chain.from_iterable(words for words in both if words[0].startswith(_OF_MACROS))
    macros = predefined_macros(command.compiler, language, [*options, *preprocess])
    if source.is_fortran or not macros:
        return {**macros}
    usual = predefined_macros(command.compiler, language, language_options)
    return {name: macros.get(name) for name in sorted(usual | macros) if macros.get(name) != usual.get(name)}
