"""Parse the functions that an MPI library's own header declares."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Prototype", "read_declared", "read_prototypes"]

_ATTRIBUTE = re.compile(r"__attribute__\s*(\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\))")
_PROTOTYPE = re.compile(r"\bint\s+MPI_(\w+)\s*\(([^()]*)\)\s*;")
_DECLARED = re.compile(r"(?:extern\s)?\s*(?:struct\s)?\w[\w\s*]*\bMPI_(\w+)\s*\(")
_PARAMETER = re.compile(r"(.*?[\s*])(\w+)\s*((?:\[\w*\])*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prototype:
    """A function of ``mpi.h``.

    Attributes:
        name: The name, without ``MPI_``.
        parameters: For each parameter, the parts of its type before and after the name: ``("const int", "[]")``.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]

    def declared(self, names: list[str]) -> str:
        """Return the parameter list of a definition in C, with the given names."""
        return ", ".join(
            f"{before}{'' if before.endswith('*') else ' '}{name}{after}"
            for (before, after), name in zip(self.parameters, names, strict=True)
        )


def read_prototypes(preprocessed: str) -> dict[str, Prototype]:
    """Return the functions that a preprocessed ``mpi.h`` declares, by name without ``MPI_``.

    Functions with function parameters or variable arguments are left out, because none of them is wrapped.
    """
    prototypes = (_prototype(name, parameters) for name, parameters in _PROTOTYPE.findall(_bare(preprocessed)))
    return {prototype.name: prototype for prototype in prototypes if prototype}


def read_declared(preprocessed: str) -> set[str]:
    """Return the names of all functions that a preprocessed ``mpi.h`` declares, without ``MPI_``."""
    statements = (statement.strip() for statement in re.split(r"[;{}]", _bare(preprocessed)))
    matches = (_DECLARED.match(statement) for statement in statements if not statement.startswith("typedef"))
    return {match[1] for match in matches if match}


def _bare(preprocessed: str) -> str:
    return _ATTRIBUTE.sub("", re.sub(r"^#.*$", "", preprocessed, flags=re.MULTILINE))


def _prototype(name: str, text: str) -> Prototype | None:
    parameters = []
    for parameter in [] if text.strip() == "void" else text.split(","):
        match = _PARAMETER.fullmatch(parameter.strip())
        if not match:
            return None
        parameters.append((" ".join(match[1].split()), match[3]))
    return Prototype(name, tuple(parameters))
