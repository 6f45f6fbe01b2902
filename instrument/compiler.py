"""Parse a compiler's command line: find the sources, and the roles of the other words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import UsageError
from .compiler_options import BESIDES, CRAY_FORTRAN, USUAL, Options, Role, in_short
from .expression import expression
from .fortran_compiler import CRAY, FortranCompiler, fortran_compiler

__all__ = ["COMPILERS", "Argument", "CompilerCommand", "Role", "command_words", "no_compiler", "quoted_words"]

COMPILERS: Final = {"AUTOANALYZER_CC": "mpicc", "AUTOANALYZER_CXX": "mpicxx", "AUTOANALYZER_FC": "mpifort"}
"""Environment variable → default compiler if it is unset."""


class Argument(NamedTuple):
    """One argument of a compiler command, which consists of one word or two.

    Attributes:
        role: Role of the argument.
        words: The words on the command line.
        language: For an input, the language that an earlier ``-x`` has set; empty if there is none.
        to_cxx: Whether the command calls a C++ compiler, which treats a ``.c`` file as C++.
    """

    role: Role
    words: tuple[str, ...]
    language: str = ""
    to_cxx: bool = False

    @property
    def is_cxx(self) -> bool:
        """Whether a source is C++."""
        if self.language:
            return self.language in _CXX_LANGUAGES
        return self.words[0].endswith(_CXX_SUFFIXES + (_C_SUFFIXES if self.to_cxx else ()))

    @property
    def is_fortran(self) -> bool:
        """Whether a source is Fortran."""
        if self.language:
            return self.language in _FORTRAN_LANGUAGES
        return self.words[0].endswith(_FORTRAN_SUFFIXES)

    @property
    def wants_preprocessor(self) -> bool:
        """Whether a Fortran source is preprocessed by default."""
        return self.language.endswith("-cpp-input") or (not self.language and self.words[0].endswith(_FORTRAN_CPP))

    @property
    def fortran_form(self) -> str:
        """The compiler's name for the language of a Fortran source: ``f77`` for fixed form, ``f95`` for free form."""
        fixed = self.language.startswith("f77") if self.language else self.words[0].lower().endswith(_FIXED_FORM)
        return "f77" if fixed else "f95"

    @property
    def module_folder(self) -> str:
        """The folder in an option for modules."""
        return self.words[-1] if len(self.words) > 1 else self.words[0].removeprefix("-J")

    @property
    def language_name(self) -> str:
        """The compiler's name for the language of a source."""
        return "f95-cpp-input" if self.is_fortran else "c++" if self.is_cxx else "c"

    @property
    def is_preprocessed(self) -> bool:
        """Whether the user has already preprocessed a C or C++ source."""
        return self.language in _PREPROCESSED or (not self.language and self.words[0].endswith((".i", ".ii")))


_C_LANGUAGES: Final = frozenset(["c", "cpp-output"])
_CXX_LANGUAGES: Final = frozenset(["c++", "c++-cpp-output"])
_PREPROCESSED: Final = frozenset(["cpp-output", "c++-cpp-output"])
_FORTRAN_LANGUAGES: Final = frozenset(["f77", "f77-cpp-input", "f95", "f95-cpp-input"])
_C_SUFFIXES: Final = (".c", ".i")
_CXX_SUFFIXES: Final = (".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii")
_FORTRAN_CPP: Final = (".fpp", ".F", ".FOR", ".FTN", ".FPP", ".F90", ".F95", ".F03", ".F08")
_FORTRAN_SUFFIXES: Final = (*_FORTRAN_CPP, ".f", ".for", ".ftn", ".f90", ".f95", ".f03", ".f08")
_FIXED_FORM: Final = (".f", ".for", ".ftn", ".fpp")
_NOT_PREPROCESSED: Final = ("-nocpp", "-nofpp", "-d")  # -d is the option of Cray's compiler
_CXX_COMPILER: Final = expression(r"\+\+|cxx|icp[cx]$|CC$")  # g++, clang++-14, mpicxx, mpiicpx, mpiCC
_OF_CRAY: Final = frozenset(["ftn", "crayftn"])
_SHARED: Final = ("-fPIC", "-fpic", "-KPIC")
_NOT_SHARED: Final = ("-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE", "-fno-pie")
_ALONE: Final = ("-shared", "-nostdlib", "-nostartfiles", "-ffreestanding")
_READ_PROFILE: Final = ("-fprofile-use", "-fbranch-probabilities")
_LAUNCHERS: Final = frozenset(["ccache", "sccache", "distcc", "icecc"])


class CompilerCommand:
    """A command that calls a C, C++ or Fortran compiler.

    Args:
        words: The whole command; the first word is the compiler, or a launcher such as ccache before it.

    Attributes:
        compiler: The words that call the compiler: its launcher, if any, and its name.
        is_cxx: Whether the compiler is for C++.
        arguments: The arguments, in order, with the content of response files.

    Raises:
        UsageError: A response file cannot be read.
    """

    def __init__(self, words: list[str]) -> None:
        count = 2 if Path(words[0]).name in _LAUNCHERS and len(words) > 1 else 1
        self.words = words
        self.compiler = words[:count]
        self.is_cxx = bool(_CXX_COMPILER.search(Path(self.compiler[-1]).name))
        self._options = CRAY_FORTRAN if self._is_cray_fortran else USUAL
        self.arguments = list(_arguments(list(_expanded(words[count:])), self._options, to_cxx=self.is_cxx))

    @cached_property
    def fortran(self) -> FortranCompiler:
        """The properties of the Fortran compiler."""
        return fortran_compiler(self.compiler)

    @property
    def _is_cray_fortran(self) -> bool:
        """Whether the compiler is Cray's own Fortran compiler; Cray's wrapper may also call a different compiler."""
        return Path(self.compiler[-1]).name in _OF_CRAY and self.fortran is CRAY

    @property
    def sources(self) -> list[Argument]:
        """The C, C++ and Fortran sources, in order; Fortran sources are left out if the compiler is for C++."""
        sources = [argument for argument in self.arguments if argument.role is Role.SOURCE]
        return [source for source in sources if not (self.is_cxx and source.is_fortran)]

    @property
    def has_fortran(self) -> bool:
        """Whether any source is Fortran."""
        return any(source.is_fortran for source in self.sources)

    @property
    def quiet(self) -> tuple[str, ...]:
        """The options that silence the compiler's warnings."""
        return self.fortran.quiet if self.has_fortran else ("-w",)

    @property
    def rewrapped(self) -> tuple[str, ...]:
        """The options to compile the output of LLVM's Fortran preprocessor, whose fixed-form lines end at column 72."""
        return ("-ffixed-line-length=72",) if any(map(self.loses_comments, self.sources)) else ()

    @property
    def asks(self) -> bool:
        """Whether the command does not generate code."""
        return any(self._options.asks(argument.words) for argument in self.arguments) or (
            "-fpreprocessed" in self.of(Role.CPP) and not all(source.is_fortran for source in self.sources)
        )

    @property
    def links(self) -> bool:
        """Whether the command also links its objects."""
        return {"-c", "-S"}.isdisjoint(self.of(Role.COMPILE))

    @property
    def warns_by_optimising(self) -> bool:
        """Whether optimisation may cause compiler warnings; for Fortran, only if warnings are requested.

        If there are several optimisation levels, the last one counts.
        """
        options = self.of(Role.BOTH)
        levels = [option for option in options if option.startswith("-O")]
        asks = any(option.startswith("-W") and not option.startswith("-Wno-") for option in options)
        warns = asks or not all(source.is_fortran for source in self.sources)
        return warns and bool(levels) and levels[-1] != "-O0"

    @property
    def lacks_thread_variables(self) -> bool:
        """Whether access to thread-local variables takes a call (in shared libraries) or is impossible (without libc).

        The last relevant option counts. Without one, the command builds a program.
        """
        options = self.of(Role.BOTH)
        said = [option for option in options if option in _SHARED or option in _NOT_SHARED]
        is_shared = bool(said) and said[-1] in _SHARED
        return is_shared or not {*options, *self.of(Role.COMPILE)}.isdisjoint(_ALONE)

    @property
    def links_bare(self) -> bool:
        """Whether the command links a program without the C library's start-up code."""
        is_bare = not {*self.of(Role.COMPILE)}.isdisjoint(("-nostdlib", "-nostartfiles"))
        return is_bare and "-shared" not in self.words

    @property
    def reads_profile(self) -> bool:
        """Whether optimisation reads the profile of an earlier run, which compilers find by the object's name."""
        return any(option.startswith(_READ_PROFILE) for option in self.of(Role.BOTH))

    @property
    def writes_besides(self) -> bool:
        """Whether each compile writes further files for the user: intermediate files, dumps, build records."""
        return any(option.startswith(BESIDES) for option in self.of(Role.COMPILE))

    @property
    def program(self) -> Path | None:
        """The linked program: the name after ``-o``, or ``a.out``; None if the command does not link."""
        if self.asks or not self.links or not self.of(Role.SOURCE, Role.INPUT):
            return None
        return self._output or Path("a.out")

    @property
    def objects(self) -> list[Path]:
        """The objects of a command that does not link: the name after ``-o``, or one per source."""
        if self.asks or self.links:
            return []
        suffix = ".s" if "-S" in self.of(Role.COMPILE) else ".o"
        return [self._output or Path(Path(source.words[0]).stem + suffix) for source in self.sources]

    @property
    def module_folder(self) -> Path:
        """The folder to which Fortran modules are written."""
        return next((Path(each.module_folder) for each in self.arguments if each.role is Role.MODULES), Path())

    @property
    def _output(self) -> Path | None:
        outputs = [argument.words for argument in self.arguments if argument.role is Role.OUTPUT]
        if self.links:
            # Cray's compiler uses -b to name objects only.
            outputs = [words for words in outputs if not words[0].startswith("-b")]
        return Path(outputs[-1][1] if len(outputs[-1]) > 1 else outputs[-1][0][2:]) if outputs else None

    def preprocesses(self, source: Argument) -> bool:
        """Return whether a Fortran source is preprocessed; the last of -cpp, -nocpp and similar options counts."""
        options = self.joined(Role.CPP)
        if "-fpreprocessed" in options or not options:
            return not options and source.wants_preprocessor
        return not options[-1].startswith(_NOT_PREPROCESSED)

    def loses_comments(self, source: Argument) -> bool:
        """Return whether the compiler's preprocessor removes comments from a Fortran source, and changes its lines."""
        return source.is_fortran and self.preprocesses(source) and self.fortran.rewraps

    def of(self, *roles: Role) -> list[str]:
        """Return the words of all arguments with one of these roles."""
        return [word for argument in self.arguments if argument.role in roles for word in argument.words]

    def joined(self, *roles: Role) -> list[str]:
        """Return all arguments with one of these roles, each with its words joined: ``-ffree`` for ``-f free``."""
        return ["".join(argument.words) for argument in self.arguments if argument.role in roles]


def command_words(variable: str, text: str) -> list[str]:
    """Return the words of the command in an environment variable.

    Raises:
        UsageError: The quotes in the text are not balanced.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{variable}: expected a command, found {text!r} ({error})") from None


def no_compiler(name: str, error: OSError) -> UsageError:
    """Return the error for a compiler that cannot be started."""
    return UsageError(
        f"compiler {name}: {error.strerror}; set another compiler in AUTOANALYZER_CC, AUTOANALYZER_CXX or "
        "AUTOANALYZER_FC, or after 'autoanalyzer compile --'"
    )


def _expanded(words: list[str]) -> Iterator[str]:
    """Yield the words of a command, with each ``@file`` replaced by the words in that file, as compilers do."""
    for word in words:
        if word.startswith("@") and Path(word[1:]).is_file():
            try:
                text = Path(word[1:]).read_text("utf-8", "surrogateescape")
                yield from _expanded(list(quoted_words(text)))
            except OSError as error:
                raise UsageError(f"response file {word[1:]} cannot be read: {error}") from None
        else:
            yield word


def quoted_words(text: str) -> Iterator[str]:
    """Yield the words of a text as compilers read response files and print their calls.

    Unlike in a shell, a backslash escapes any character within quotes.
    """
    word, quote = None, ""
    characters = iter(text)
    for character in characters:
        if character.isspace() and not quote:
            if word is not None:
                yield word
            word = None
            continue
        word = word or ""
        if character == "\\":
            word += next(characters, "")
        elif character in (quote or "\"'"):
            quote = "" if quote else character
        else:
            word += character
    if word is not None:
        yield word


def _arguments(words: list[str], options: Options, *, to_cxx: bool) -> Iterator[Argument]:
    language = ""
    place = 0
    while place < len(words):
        words[place : place + 1] = in_short(words[place])
        word = words[place]
        place += 1
        if word.startswith("-") and word != "-":
            argument = Argument(*options.argument(word, words[place : place + 3]))
            place += len(argument.words) - 1
            if argument.role is Role.LANGUAGE:
                named = argument.words[-1].removeprefix("-x")
                language = "" if named == "none" else named
            yield argument
        else:
            if language:
                is_source = language in _C_LANGUAGES | _CXX_LANGUAGES | _FORTRAN_LANGUAGES
            else:
                is_source = word.endswith(_C_SUFFIXES + _CXX_SUFFIXES + _FORTRAN_SUFFIXES)
            yield Argument(Role.SOURCE if is_source else Role.INPUT, (word,), language, to_cxx)
