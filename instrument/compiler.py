"""A compiler's command line, taken apart: which words are sources, and what the others are for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from ..errors import UsageError

__all__ = ["Argument", "CompilerCommand", "Role", "no_compiler"]


class Role(Enum):
    """What an argument is for."""

    SOURCE = auto()  # a C source
    INPUT = auto()  # any other file: objects, libraries, other languages
    LANGUAGE = auto()  # -x
    OUTPUT = auto()  # -o
    PREPROCESS = auto()  # macros, include directories: the preprocessor's alone
    DEPENDENCY = auto()  # -MD and its relatives
    COMPILE = auto()  # of no use to the preprocessor: linking, assembling, dumps
    BOTH = auto()


class Argument(NamedTuple):
    """One argument of the command, of one word or two.

    Attributes:
        role: What it is for.
        words: As on the command line.
        language: For an input, the language that an earlier ``-x`` has set; empty if none.
    """

    role: Role
    words: tuple[str, ...]
    language: str = ""


_PREPROCESS_TWO: Final = frozenset(
    "-D -U -I -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore "
    "-cxx-isystem -isystem-after -iframework -F -Xpreprocessor -imultilib".split()
)
_COMPILE_TWO: Final = frozenset("-l -L -Xlinker -Xassembler -T -u -z -e -aux-info -wrapper -dumpbase -dumpdir".split())
_BOTH_TWO: Final = frozenset(
    "-A -B -G -arch -target -mllvm -Xclang --param -isysroot -gcc-toolchain -dumpbase-ext -V -b".split()
)
_DEPENDENCY_TWO: Final = frozenset(["-MF", "-MT", "-MQ"])
_DEPENDENCY_ONE: Final = frozenset(["-MD", "-MMD", "-MP", "-MG", "-MV"])
_PREPROCESS_PREFIXES: Final = ("-D", "-U", "-I", "-Wp,", "-iquote", "-isystem", "-idirafter", "-include", "-imacros")
_PREPROCESS_ONE: Final = frozenset(["-nostdinc", "-undef", "-H", "-trigraphs", "-remap", "-traditional-cpp"])
_COMPILE_PREFIXES: Final = ("-l", "-L", "-Wl,", "-Wa,", "-save-temps", "-fuse-ld", "-print")
_COMPILE_ONE: Final = frozenset(
    "-c -S -shared -static -rdynamic -pie -no-pie -static-pie -s -nostdlib -nodefaultlibs -nostartfiles -v -pipe "
    "-C -CC -P -dD -dM -dN -dI -dU -static-libgcc -static-libasan -shared-libgcc -symbolic --save-temps -Q "
    "-time -r".split()
)
# They ask something, or stop before there is code: the compiler answers by itself.
_ASKS: Final = frozenset(
    "-E -M -MM -fsyntax-only --help --version -### -show -compile-info -link-info -link_info -compile_info "
    "-emit-ast -emit-pch --analyze -fpreprocessed -fdirectives-only -cc1 -cc1as --preprocess".split()
)
_ASKS_PREFIXES: Final = ("--help", "-dump", "-print-", "--print-", "--showme", "-showme", "-show", "--target-help")
_C_LANGUAGES: Final = frozenset(["c", "cpp-output"])
_C_SUFFIXES: Final = (".c", ".i")
_LAUNCHERS: Final = frozenset(["ccache", "sccache", "distcc", "icecc"])


class CompilerCommand:
    """A command that calls a C compiler.

    Args:
        words: The whole command; the first word is the compiler, or a launcher such as ccache before it.

    Raises:
        UsageError: A response file cannot be read.
    """

    def __init__(self, words: list[str]) -> None:
        count = 2 if os.path.basename(words[0]) in _LAUNCHERS and len(words) > 1 else 1
        self.words = words
        self.compiler = words[:count]
        self.arguments = list(_arguments(_expanded(words[count:])))

    @property
    def sources(self) -> list[Argument]:
        """The C sources, in order."""
        return [argument for argument in self.arguments if argument.role is Role.SOURCE]

    @property
    def asks(self) -> bool:
        """Whether the command wants something else than code."""
        return any(
            argument.words[0] in _ASKS
            or (argument.words[0].startswith(_ASKS_PREFIXES) and len(argument.words) == 1)
            or argument.words == ("-",)
            for argument in self.arguments
        )

    def of(self, *roles: Role) -> list[str]:
        """Give the words of all arguments with one of these roles."""
        return [word for argument in self.arguments if argument.role in roles for word in argument.words]


def no_compiler(name: str, error: OSError) -> UsageError:
    """Say that a compiler cannot be started."""
    return UsageError(
        f"compiler {name}: {error.strerror}; name another by AUTOANALYZER_CC or after 'autoanalyzer compile --'"
    )


def _expanded(words: list[str]) -> Iterator[str]:
    """Replace ``@file`` by the words in that file, as the compiler does."""
    for word in words:
        if word.startswith("@") and os.path.isfile(word[1:]):
            try:
                with open(word[1:], encoding="utf-8", errors="surrogateescape") as stream:
                    yield from _expanded(shlex.split(stream.read()))
            except (OSError, ValueError) as error:
                raise UsageError(f"response file {word[1:]} cannot be read: {error}") from None
        else:
            yield word


def _arguments(words: Iterator[str]) -> Iterator[Argument]:
    language = ""
    for word in words:
        if word.startswith("-") and word != "-":
            argument = _option(word, words)
            if argument.role is Role.LANGUAGE:
                named = argument.words[-1].removeprefix("-x")
                language = "" if named == "none" else named
            yield argument
        else:
            is_c = language in _C_LANGUAGES if language else word.endswith(_C_SUFFIXES)
            yield Argument(Role.SOURCE if is_c else Role.INPUT, (word,), language)


def _option(word: str, following: Iterator[str]) -> Argument:
    for role, names in (
        (Role.PREPROCESS, _PREPROCESS_TWO),
        (Role.COMPILE, _COMPILE_TWO),
        (Role.BOTH, _BOTH_TWO),
        (Role.DEPENDENCY, _DEPENDENCY_TWO),
        (Role.LANGUAGE, {"-x"}),
        (Role.OUTPUT, {"-o"}),
    ):
        if word in names:
            return Argument(role, (word, *_next(following)))
    return Argument(_role_of_one(word), (word,))


def _next(words: Iterator[str]) -> list[str]:
    for word in words:
        return [word]
    return []


def _role_of_one(word: str) -> Role:
    if word in _DEPENDENCY_ONE or word.startswith(("-MF", "-MT", "-MQ", "-Wp,-M")):
        return Role.DEPENDENCY
    if word in _PREPROCESS_ONE or word.startswith(_PREPROCESS_PREFIXES):
        return Role.PREPROCESS
    if word in _COMPILE_ONE or word.startswith(_COMPILE_PREFIXES):
        return Role.COMPILE
    if word.startswith("-x"):
        return Role.LANGUAGE
    return Role.OUTPUT if word.startswith("-o") else Role.BOTH
