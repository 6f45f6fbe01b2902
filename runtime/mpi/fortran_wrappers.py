"""Generate wrappers, written in C, of the MPI functions that Fortran programs call, from the C prototypes and rules.

A Fortran function has the C function's parameters, by reference, and an error code. Arguments are passed on unchanged.
Arguments that the byte rules use are also converted to C values, so that the same expressions work for both languages.
The macros and conversions are in ``probe/mpi_fortran.h``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from .c_wrappers import PROLOGUE
from .prototypes import Prototype
from .wrapped_functions import WrappedFunction, wrapped_functions

__all__ = ["fortran_wrapper_text"]

_HEAD: Final = f"""{PROLOGUE}#include "mpi_bytes.h"
#include "mpi_file.h"
#include "mpi_fortran.h"
#include "mpi_messages.h"
#include "mpi_path.h"
#include "mpi_requests.h"
#include "mpi_split.h"
#include "mpi_topology.h"
"""

# Type of a C parameter, without const → the declaration of its C value, converted from the Fortran argument.
_VALUES: Final = {
    "int": "int {name} = aa_fortran_int(f_{name});",
    "MPI_Count": "MPI_Count {name} = aa_fortran_count(f_{name});",
    "MPI_Comm": "MPI_Comm {name} = aa_fortran_comm(f_{name});",
    "MPI_Op": "MPI_Op {name} = aa_fortran_op(f_{name});",
    "MPI_File": "MPI_File {name} = aa_fortran_file(f_{name});",
    "MPI_Group": "MPI_Group {name} = aa_fortran_group(f_{name});",
    "MPI_Win": "MPI_Win {name} = aa_fortran_win(f_{name});",
    "MPI_Datatype": "MPI_Datatype {name} = aa_fortran_datatype(f_{name});",
    "void *": "const void *{name} = aa_fortran_buffer(f_{name}, form);",
    "int *": "const aa_fortran_integer *{name} = f_{name};",
    "MPI_Count *": "const MPI_Count *{name} = f_{name};",
    "MPI_Datatype *": "const struct aa_fortran_type *{name} = f_{name};",
    "MPI_Status *": "MPI_Status c_{name}; const MPI_Status *{name} = aa_fortran_status(f_{name}, &c_{name});",
    "MPI_Comm *": "MPI_Comm c_{name} = aa_fortran_comm(f_{name}), *{name} = &c_{name};",
    "MPI_Win *": "MPI_Win c_{name} = aa_fortran_win(f_{name}), *{name} = &c_{name};",
    "MPI_Message *": "MPI_Fint c_{name} = *(MPI_Fint *)f_{name}, *{name} = &c_{name};",
    "MPI_Request *": "MPI_Request c_{name} = aa_request_f2c(*(MPI_Fint *)f_{name}), *{name} = &c_{name};",
}


# Functions whose result may be a C pointer; Open MPI has separate names for this form.
_C_POINTER: Final = ("Win_allocate", "Win_allocate_shared")


def fortran_wrapper_text(prototypes: Mapping[str, Prototype]) -> str:
    """Return the source ``mpi_fortran_wrappers.c``, the functions that Fortran programs call, under all their names.

    Raises:
        BuildError: A function's parameters differ from those in the MPI standard.
    """
    return "\n".join([_HEAD, *map(_definition, wrapped_functions(prototypes))])


def _definition(function: WrappedFunction) -> str:
    """Return the code that all forms of a function share, and the forms.

    Before::

        int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

    After, for the names that are used::

        AA_FORTRAN_SHARED(Send, (void *f_buf, …, MPI_Fint *error), (f_buf, …, error)) {
            struct aa_mpi_call call = aa_mpi_begin(AA_MPI_SEND, AA_MPI_REGION_OF("Send", caller));
            next(f_buf, f_count, f_type, f_dest, f_tag, f_comm, error);
            if (call.counts && *error == MPI_SUCCESS) {
                int count = aa_fortran_int(f_count);
                MPI_Datatype type = aa_fortran_datatype(f_type);
                int dest = aa_fortran_int(f_dest);
                aa_count_mpi(1, aa_peer_bytes(dest, count, type), 0);
            }
            aa_mpi_end(call);
        }
        AA_FORTRAN_FORM(mpi_send_f08_, AA_FORTRAN_2008, Send, (void *f_buf, …, MPI_Fint *error), (f_buf, …, error))
        AA_FORTRAN_FORM(mpi_send_, AA_FORTRAN, Send, …)
        AA_FORTRAN_SECOND_UNDERSCORE(mpi_send_)
        AA_FORTRAN_FORM(mpi_send_f08ts_, AA_FORTRAN_2018, Send, …)
    """
    name = function.prototype.name
    lengths = [f"length_{place}" for place in range(_texts(function.prototype))]
    names = [*(f"f_{name}" for name in function.names), "error", *lengths]
    types = [*("void *" for _ in function.names), "MPI_Fint *", *("size_t " for _ in lengths)]
    parameters = ", ".join(f"{before}{name}" for before, name in zip(types, names, strict=True))
    arguments = ", ".join(names)
    lines = [
        f"AA_FORTRAN_SHARED({name}, ({parameters}), ({arguments})) {{",
        *(f"    {line}" for line in _own_status(function)),
        "    struct aa_mpi_call call =",
        f'        aa_mpi_begin({function.share}, AA_MPI_REGION_OF("{function.operation}", caller));',
        *(
            [
                "    if (aa_mpi_is_split(call))",
                f"        aa_mpi_split(call, aa_fortran_comm(f_comm), {function.share});",
            ]
            * function.synchronises
        ),
        *_before(function),
        *_beside(function),
        f"    next({arguments});",
        "    if (call.counts && *error == MPI_SUCCESS) {",
        *(f"        {line}" for line in (*_values(function, function.counting), *function.counting)),
        "    }",
        *_after(function),
        *(["    if (beside && *error != MPI_SUCCESS)", "        aa_path_complete(beside);"] if function.beside else []),
        "    aa_mpi_end(call);",
        "}",
    ]
    for symbol, language in _forms(function.prototype).items():
        lines.append(f"AA_FORTRAN_FORM({symbol}, {language}, {name}, ({parameters}), ({arguments}))")
        if language == "AA_FORTRAN":
            lines.append(f"AA_FORTRAN_SECOND_UNDERSCORE({symbol})")
    return "\n".join(lines) + "\n"


def _texts(prototype: Prototype) -> int:
    """Return the number of character arguments, whose lengths follow the arguments."""
    return sum("char" in before for before, _ in prototype.parameters)


def _own_status(function: WrappedFunction) -> list[str]:
    if "status" not in function.names:
        return []
    return [
        "union aa_own_status own_status;",
        "if (aa_fortran_ignores(f_status))",
        "    f_status = &own_status;",
    ]


def _before(function: WrappedFunction) -> list[str]:
    if not function.before:
        return []
    lines = [*_values(function, function.before), *function.before]
    return ["    if (aa_mpi_has_path(call)) {", *(f"        {line}" for line in lines), "    }"]


def _after(function: WrappedFunction) -> list[str]:
    if not function.after:
        return []
    lines = [*_values(function, function.after), *function.after]
    return [
        "    if (aa_mpi_has_path(call) && aa_mpi_took_part((int)*error)) {",
        *(f"        {line}" for line in lines),
        "    }",
    ]


def _beside(function: WrappedFunction) -> list[str]:
    if not function.beside:
        return []
    lines = [*_values(function, [function.beside]), f"beside = {function.beside};"]
    return [
        "    void *beside = NULL;",
        "    if (aa_mpi_has_path(call)) {",
        *(f"        {line}" for line in lines),
        "    }",
    ]


def _values(function: WrappedFunction, statements: Sequence[str]) -> list[str]:
    """Return C declarations of the values that statements use, each converted from a Fortran argument."""
    text = " ".join(statements)
    parameters = zip(function.prototype.parameters, function.names, strict=True)
    return [
        _VALUES[_kind(before, after)].format(name=name)
        for (before, after), name in parameters
        if re.search(rf"\b{name}\b", text)
    ]


def _kind(before: str, after: str) -> str:
    """Return a parameter's type from its parts before and after the name: ``const int`` and ``[]`` → ``int *``."""
    kind = re.sub(r"\bconst\b", "", before).strip()
    return f"{kind} *" if after else kind


def _forms(prototype: Prototype) -> dict[str, str]:
    """Return the symbols of a function in MPI libraries, each with the Fortran binding to which it belongs."""
    large = prototype.name.endswith("_c")
    stem = f"mpi_{prototype.name.removesuffix('_c').lower()}"
    # mpi_send_f08_large_ up to MPICH 4.1, mpi_send_c_f08_ since 4.2
    names = (f"{stem}_{{}}_large_", f"{stem}_c_{{}}_") if large else (f"{stem}_{{}}_",)
    forms = {name.format("f08"): "AA_FORTRAN_2008" for name in names}
    if not large:
        forms[f"{stem}_"] = "AA_FORTRAN"
    if prototype.name in _C_POINTER:
        forms[f"{stem}_cptr_"] = "AA_FORTRAN"
    if any(_kind(before, after) == "void *" for before, after in prototype.parameters):
        forms |= {name.format("f08ts"): "AA_FORTRAN_2018" for name in names}
    return forms
