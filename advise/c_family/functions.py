"""Functions of the C and C++ libraries that the advice recognises."""

from __future__ import annotations

from typing import Final

__all__ = ["ALLOCATING", "FREEING", "INPUT_OUTPUT", "LAYING_OUT", "LOOKING", "POWERS", "PURE", "base_name"]

PURE: Final = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "cbrt",
        "hypot",
        "fabs",
        "abs",
        "labs",
        "llabs",
        "floor",
        "ceil",
        "round",
        "trunc",
        "rint",
        "nearbyint",
        "lround",
        "fmod",
        "remainder",
        "fmin",
        "fmax",
        "fdim",
        "fma",
        "erf",
        "erfc",
        "tgamma",
        "lgamma",
        "copysign",
        "ldexp",
        "min",
        "max",
        "isnan",
        "isinf",
    ]
)
"""Mathematical functions, whose values depend only on their arguments."""

LOOKING: Final = frozenset(("size", "length", "empty", "begin", "end", "data", "front", "back"))
"""Methods of containers that do not modify them."""

LAYING_OUT: Final = frozenset(("setf", "unsetf", "flags", "precision", "width", "fill"))
"""Methods of streams that set the format of later output."""

POWERS: Final = frozenset(("pow", "powf", "powl"))
ALLOCATING: Final = frozenset(
    ("malloc", "calloc", "realloc", "aligned_alloc", "valloc", "memalign", "posix_memalign", "MPI_Alloc_mem")
)
FREEING: Final = frozenset(("free", "cfree", "MPI_Free_mem"))


def base_name(name: str) -> str:
    """Return a mathematical function's name without the type suffix: ``sqrtf`` becomes ``sqrt``."""
    return name[:-1] if name[:-1] in PURE and name[-1:] in "fl" and name not in PURE else name


# Function → its action, whether its data are formatted, and the position of the argument that is the file: None for the
# terminal, -1 for the last argument.
INPUT_OUTPUT: Final[dict[str, tuple[str, bool, int | None]]] = {
    **dict.fromkeys(("printf", "puts", "putchar", "perror"), ("write", True, None)),
    **dict.fromkeys(("fprintf", "dprintf", "vfprintf", "sprintf", "snprintf"), ("write", True, 0)),
    **dict.fromkeys(("scanf",), ("read", True, None)),
    **dict.fromkeys(("fscanf", "sscanf"), ("read", True, 0)),
    **dict.fromkeys(("fputs", "fputc", "putc", "fwrite"), ("write", False, -1)),
    **dict.fromkeys(("fgets", "fread", "fgetc", "getc"), ("read", False, -1)),
    **dict.fromkeys(("write", "pwrite", "pwrite64", "writev"), ("write", False, 0)),
    **dict.fromkeys(("read", "pread", "pread64", "readv"), ("read", False, 0)),
    **dict.fromkeys(("getline",), ("read", False, -1)),
    **dict.fromkeys(("fopen", "open", "open64", "fdopen", "freopen"), ("open", False, 0)),
    **dict.fromkeys(("fclose", "close"), ("close", False, 0)),
    **dict.fromkeys(("fflush", "fsync", "fdatasync", "sync"), ("flush", False, 0)),
    **dict.fromkeys(("fseek", "fseeko", "rewind", "lseek", "lseek64", "fsetpos"), ("rewind", False, 0)),
    **{
        f"MPI_File_{name}": ("write" if "write" in name else "read", False, 0)
        for kind in ("read", "write")
        for name in (
            kind,
            f"{kind}_at",
            f"{kind}_all",
            f"{kind}_at_all",
            f"{kind}_shared",
            f"{kind}_ordered",
            f"i{kind}",
        )
    },
    "MPI_File_open": ("open", False, 1),
    "MPI_File_close": ("close", False, 0),
    "MPI_File_sync": ("flush", False, 0),
    "MPI_File_seek": ("rewind", False, 0),
}
