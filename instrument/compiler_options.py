"""The roles of compilers' options: GNU's, LLVM's, Intel's and NVIDIA's in one table, Cray Fortran's in another."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from .expression import expression

__all__ = ["BESIDES", "CRAY_FORTRAN", "USUAL", "Options", "Role", "in_short"]


class Role(Enum):
    """The role of an argument."""

    SOURCE = auto()  # a C, C++ or Fortran source
    INPUT = auto()  # any other file: objects, libraries, other languages
    LANGUAGE = auto()  # -x
    OUTPUT = auto()  # -o
    MODULES = auto()  # -J: the folder to which Fortran modules are written, and which is searched for them
    CPP = auto()  # selects whether Fortran is preprocessed
    PREPROCESS = auto()  # only for the preprocessor: macros, include folders
    DEPENDENCY = auto()  # -MD and similar options
    COMPILE = auto()  # irrelevant to the preprocessor: linking, assembling, dumps
    BOTH = auto()


# Languages that may follow -x. Not every word with -x is a language: Intel's -xHost selects a processor.
_LANGUAGES: Final = (
    *("c", "c-header", "cpp-output", "c++", "c++-header", "c++-cpp-output", "objective-c", "objective-c++"),
    *("assembler", "assembler-with-cpp", "f77", "f77-cpp-input", "f95", "f95-cpp-input", "none", "cuda", "hip"),
)
_INCLUDED: Final = frozenset(["-include", "-include-pch"])
_KEYWORD: Final = expression(r"[a-z0-9_]+(?:,[a-z0-9_]+)*$")
_DEPENDENCIES_BELOW: Final = expression(r"-Wp,(?:.*,)?-M")  # the word may pass on other options as well
_NOTHING: Final = expression(r"(?!)")
# The long names of GNU's and LLVM's compilers; a value follows in the next word, or after "=".
_SHORT: Final = {
    **{"--compile": "-c", "--assemble": "-S", "--preprocess": "-E", "--output": "-o", "--language": "-x"},
    **{"--define-macro": "-D", "--undefine-macro": "-U", "--include": "-include", "--imacros": "-imacros"},
    **{"--include-directory": "-I", "--include-directory-after": "-idirafter", "--no-standard-includes": "-nostdinc"},
    **{"--dependencies": "-M", "--user-dependencies": "-MM", "--print-missing-file-dependencies": "-MG"},
    **{"--write-dependencies": "-MD", "--write-user-dependencies": "-MMD"},
}
BESIDES: Final = (
    *("-save-temps", "--save-temps", "-MJ", "-gen-cdb-fragment-path", "-fdump-", "-fstack-usage", "-fcallgraph-info"),
    *("-fopt-info", "-fsave-optimization-record", "-foptimization-record-", "-ftime-trace", "-aux-info"),
)
"""Prefixes of options that write additional files: intermediate files, dumps, build records."""


class Options(NamedTuple):
    """The options of one kind of compiler, recognised by their first characters.

    Attributes:
        values: Options whose value is the next word.
        keywords: Options whose value is the next word, if this word looks like a value rather than a file.
        alone: Options without a value.
        prefixes: Prefixes of options with the value in the same word; the first match counts.
        asking: Options that query the compiler, or stop before code generation.
        asking_prefixes: Prefixes of further options that query the compiler, or stop before code generation.
        switching: Matches groups of option letters that switch Fortran's preprocessor.
        stopping: Matches groups of option letters that query the compiler, or stop before code generation.
    """

    values: dict[str, Role]
    keywords: frozenset[str]
    alone: dict[str, Role]
    prefixes: tuple[tuple[Role, tuple[str, ...]], ...]
    asking: frozenset[str]
    asking_prefixes: tuple[str, ...]
    switching: re.Pattern[str] = _NOTHING
    stopping: re.Pattern[str] = _NOTHING

    def argument(self, word: str, following: list[str]) -> tuple[Role, tuple[str, ...]]:
        """Return an option's role, and the words that it consists of.

        Args:
            word: The option.
            following: The words after it.
        """
        if word == "-Xclang" and _INCLUDED.intersection(following[:1]):  # its value follows another -Xclang
            return Role.PREPROCESS, (word, *following[:3])
        words = (word, *following[:1]) if word in self.values else (word,)
        switches = bool(self.switching.match("".join(words)))
        if switches or word in self.values:
            return Role.CPP if switches else self.values[word], words
        if word in self.keywords and following and _KEYWORD.match(following[0]):
            return Role.BOTH, (word, following[0])
        if word in self.alone:
            return self.alone[word], (word,)
        if word.startswith("-x"):
            return Role.LANGUAGE if word[2:] in _LANGUAGES else Role.BOTH, (word,)
        role = next((role for role, prefixes in self.prefixes if word.startswith(prefixes)), Role.BOTH)
        return Role.DEPENDENCY if _DEPENDENCIES_BELOW.match(word) else role, (word,)

    def asks(self, words: tuple[str, ...]) -> bool:
        """Return whether an option queries the compiler, or stops before code generation."""
        if words[0] in self.asking or self.stopping.match("".join(words)):
            return True
        return words[0].startswith(self.asking_prefixes) and len(words) == 1


def in_short(word: str) -> list[str]:
    """Return an option by its short name, with its value as a second word: ``-o``, ``app`` for ``--output=app``."""
    name, equals, value = word.partition("=")
    short = _SHORT.get(name)
    if not short or (equals and not value):
        return [word]
    return [short, value] if value else [short]


def _by_word(names: dict[Role, str]) -> dict[str, Role]:
    return {name: role for role, listed in names.items() for name in listed.split()}


USUAL: Final = Options(
    values=_by_word(
        {
            Role.PREPROCESS: """-D -U -I -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix
                -iwithprefixbefore -iwithsysroot -isystem-after -include-pch -ivfsoverlay -iframework -F
                -Xpreprocessor -imultilib""",
            Role.DEPENDENCY: "-MF -MT -MQ",
            Role.COMPILE: """-l -L --entry --for-linker --for-assembler -Xlinker -Xassembler -T -u -z -e -aux-info
                -wrapper -dumpbase -dumpdir -dumpbase-ext -MJ -gen-cdb-fragment-path -rpath""",
            Role.BOTH: """--sysroot --std -A -B -G -arch -target -mllvm -mmlir -Xclang -Xflang --param -isysroot
                -gcc-toolchain -b -fintrinsic-modules-path -h -tp
                -fp-model -assume -names -convert -iface -integer-size -real-size -double-size -ccdefault -allow
                -diag-disable -diag-enable -diag-error -diag-warning -diag-remark""",
            Role.MODULES: "-J -module -module-dir",
            Role.LANGUAGE: "-x",
            Role.OUTPUT: "-o",
        }
    ),
    keywords=frozenset(
        ["-align", "-check", "-warn", "-debug", "-stand", "-extend-source", "-gen-interfaces", "-heap-arrays", "-watch"]
    ),
    alone=_by_word(
        {
            Role.PREPROCESS: "-nostdinc -undef -H -trigraphs -remap -traditional-cpp",
            Role.DEPENDENCY: "-MD -MMD -MP -MG -MV",
            Role.CPP: "-cpp -nocpp -fpreprocessed -fpp -nofpp -Mpreprocess",
            Role.COMPILE: """-c -S -shared -static -rdynamic -pie -no-pie -static-pie -s -nostdlib -nodefaultlibs
                -nostartfiles -v -V -pipe -C -CC -P -dD -dM -dN -dI -dU -static-libgcc -static-libasan -shared-libgcc
                -symbolic --save-temps -Q -time -r""",
            Role.BOTH: "-openmp",
        }
    ),
    prefixes=(
        (Role.DEPENDENCY, ("-MF", "-MT", "-MQ")),
        (Role.PREPROCESS, ("-D", "-U", "-I", "-Wp,", "-iquote", "-isystem", "-idirafter", "-include", "-imacros")),
        (Role.COMPILE, ("-l", "-L", "-Wl,", "-Wa,", "-fuse-ld", *BESIDES)),
        (Role.OUTPUT, ("-o",)),
        (Role.MODULES, ("-J",)),
    ),
    asking=frozenset(
        [
            *("-E", "-M", "-MM", "-fsyntax-only", "-syntax-only", "-preprocess-only"),
            *("--help", "--version", "-###", "-dryrun", "-compile-info", "-link-info", "-link_info", "-compile_info"),
            *("-emit-ast", "-emit-pch", "--analyze", "-fdirectives-only", "-cc1", "-cc1as", "-fc1"),
        ]
    ),
    asking_prefixes=(
        *("--help", "-dump", "-print-", "--print-", "--showme", "-showme", "-show", "--target-help"),
        *("-fc-prototypes", "-fdump-fortran", "-fdump-parse-tree", "--cray-print-opts"),
    ),
)
"""The options of GNU, LLVM, Intel and NVIDIA compilers; options with the same name have the same meaning."""

CRAY_FORTRAN: Final = Options(
    values=_by_word(
        {
            Role.PREPROCESS: "-D -U -I",
            Role.COMPILE: "-l -L -S -Xlinker -rpath",
            Role.BOTH: "-A -C -d -e -f -G -h -K -m -M -N -O -p -Q -r -R -s -x",
            Role.MODULES: "-J",
            Role.OUTPUT: "-o -b",
        }
    ),
    keywords=frozenset(),
    alone=_by_word(
        {
            Role.CPP: "-F",
            Role.COMPILE: "-c -shared -static -dynamic -g -v -V -craype-verbose",
        }
    ),
    prefixes=(
        (Role.PREPROCESS, ("-D", "-U", "-I")),
        (Role.COMPILE, ("-l", "-L", "-Wl,", "-Wa,")),
        (Role.OUTPUT, ("-o", "-b")),
        (Role.MODULES, ("-J",)),
    ),
    asking=frozenset(["-E", "--help", "--version", "-dumpversion"]),
    asking_prefixes=("--cray-print-opts",),
    switching=expression(r"-[de][A-Za-z0-9]*[FTZ]"),
    stopping=expression(r"-e[A-Za-z0-9]*P"),
)
"""Options of Cray's own Fortran compiler: a letter, often several, with the value in the same word or the next one."""
