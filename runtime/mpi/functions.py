"""The functions of an MPI library: how each is counted, and which are not covered.

Known functions of ``mpi.h`` are either wrapped, or listed below because they do not communicate. All other functions
are not covered, for example new functions in later versions of MPI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import BuildError
from ..answer import answer
from .prototypes import read_declared, read_prototypes
from .wrapped_functions import BY_HAND, SESSIONS, wrapped_functions

__all__ = ["LOCAL", "CoveredFunction", "MpiFunctions", "mpi_functions", "read_functions"]

# Families of names: "Comm_{get,set}_attr" represents two names.
_LOCAL_FAMILIES: Final = """
    {Add,Remove}_error_{class,code,string} Error_{class,string}
    {Alloc,Free}_mem Buffer_attach {Comm,Session}_attach_buffer Address Get_address Aint_{add,diff}
    Attr_{delete,get,put} Keyval_{create,free} {Comm,Type,Win}_{create,free}_keyval
    {Comm,Type,Win}_{delete,get,set}_attr
    Errhandler_{create,free,get,set} {Comm,File,Session,Win}_{call,create,get,set}_errhandler
    Cart_{coords,get,rank,shift} Cartdim_get Dims_create Graph_{get,neighbors,neighbors_count} Graphdims_get Topo_test
    Dist_graph_neighbors Dist_graph_neighbors_count
    Comm_{compare,get_info,get_name,get_parent,group,rank,remote_group,remote_size,set_name,size,test_inter}
    File_{get_amode,get_atomicity,get_byte_offset,get_group,get_info,get_position,get_type_extent,get_view}
    Register_datarep
    Get_{count,elements,elements_x,hw_resource_info,library_version,processor_name,version}
    Grequest_{complete,start}
    Group_{compare,difference,excl,free,incl,intersection,range_excl,range_incl,rank,size,translate_ranks,union}
    Group_from_session_pset Session_{get_info,get_nth_pset,get_num_psets,get_pset_info,set_info}
    Info_{create,create_env,delete,dup,free,get,get_nkeys,get_nthkey,get_string,get_valuelen,set}
    Finalized Initialized Is_thread_main Query_thread Pcontrol Wtick Wtime
    Op_{commutative,create,free} Reduce_local
    {Pack,Unpack} Pack_size {Pack,Unpack}_external Pack_external_size
    Status_{get,set}_{error,source,tag} Status_set_{cancelled,elements,elements_x} Test_cancelled
    Type_{commit,contiguous,create_darray,create_f90_complex,create_f90_integer,create_f90_real,create_hindexed}
    Type_{create_hindexed_block,create_hvector,create_indexed_block,create_resized,create_struct,create_subarray,dup}
    Type_{extent,free,get_contents,get_envelope,get_extent,get_extent_x,get_name,get_true_extent,get_true_extent_x,get_value_index}
    Type_{hindexed,hvector,indexed,lb,match_size,set_name,size,size_x,struct,ub,vector}
    Win_{get_group,get_info,get_name,set_name,shared_query}
    {Comm,Errhandler,File,Group,Info,Message,Op,Request,Session,Type,Win}_{c2f,f2c,fromint,toint}
    Abi_{get,set}_fortran_{booleans,info} Abi_get_{info,version}
    Status_{c2f,f2c,c2f08,f082c,f082f,f2f08}
    T_category_{changed,get_categories,get_cvars,get_events,get_index,get_info,get_num,get_num_events,get_pvars}
    T_cvar_{get_index,get_info,get_num,handle_alloc,handle_free,read,write} T_enum_get_{info,item}
    T_event_{callback_get_info,callback_set_info,copy,get_index,get_info,get_num,get_source,get_timestamp}
    T_event_{handle_alloc,handle_free,handle_get_info,handle_set_info,read,register_callback,set_dropped_handler}
    T_{finalize,init_thread} T_source_{get_info,get_num,get_timestamp}
    T_pvar_{get_index,get_info,get_num,handle_alloc,handle_free,read,readreset,reset,session_create,session_free}
    T_pvar_{start,stop,write}
"""


def _spread(family: str) -> list[str]:
    match = re.search(r"\{([^}]*)\}", family)
    if not match:
        return [family]
    before, after = family[: match.start()], family[match.end() :]
    return [name for each in match[1].split(",") for name in _spread(f"{before}{each}{after}")]


LOCAL: Final = frozenset(name for family in _LOCAL_FAMILIES.split() for name in _spread(family))
"""Functions that neither communicate nor wait, without ``MPI_`` and the ending ``_c`` of large-count forms."""


@dataclass(frozen=True, slots=True)
class CoveredFunction:
    """A function that is wrapped.

    Attributes:
        name: The name, with ``MPI_``.
        bindings: The languages, and the Fortran modules, from which it can be called.
        counts: A description of what its calls count, with expressions of ``byte_rules``.
    """

    name: str
    bindings: str
    counts: str


@dataclass(frozen=True, slots=True)
class MpiFunctions:
    """The functions of a library.

    Attributes:
        covered: Functions that are wrapped.
        uncovered: Declared functions that may communicate and are not wrapped, with ``MPI_``.
    """

    covered: tuple[CoveredFunction, ...]
    uncovered: tuple[str, ...]


def read_functions(compiler: Sequence[str], environment: Mapping[str, str]) -> MpiFunctions:
    """Return the functions of an MPI compiler's library.

    Raises:
        BuildError: The compiler fails, or a function's parameters differ from those in the standard.
    """
    header = answer([*compiler, "-E", "-x", "c", "-"], environment, question="#include <mpi.h>\n", patience=300)
    if header is None:
        raise BuildError(f"{compiler[0]} cannot read mpi.h; set AUTOANALYZER_CC to a compiler that finds this file")
    return mpi_functions(header)


def mpi_functions(preprocessed: str) -> MpiFunctions:
    """Return the functions that a preprocessed ``mpi.h`` declares.

    Raises:
        BuildError: A function's parameters differ from those in the MPI standard.
    """
    prototypes = read_prototypes(preprocessed)
    wrapped = {function.prototype.name: function.counts for function in wrapped_functions(prototypes)}
    by_hand = [*BY_HAND.split(), *SESSIONS.split()[:2]]
    wrapped |= {name: _counts_by_hand(name) for name in by_hand if name in prototypes}
    covered = [CoveredFunction(f"MPI_{name}", _bindings(name), counts) for name, counts in sorted(wrapped.items())]
    return MpiFunctions(tuple(covered), tuple(_uncovered(read_declared(preprocessed) - wrapped.keys())))


def _uncovered(names: set[str]) -> Iterator[str]:
    return (f"MPI_{name}" for name in sorted(names) if name not in LOCAL and name.removesuffix("_c") not in LOCAL)


def _counts_by_hand(name: str) -> str:
    if name.startswith(("Wait", "Test")):
        return "bytes that the completed requests deliver"
    if name.startswith("Start"):
        return "bytes that the started requests transfer"
    return "time of file I/O" if name.startswith("File_") else "time"


def _bindings(name: str) -> str:
    return "C, mpi_f08" if name.endswith("_c") else "C, mpif.h, mpi, mpi_f08"
