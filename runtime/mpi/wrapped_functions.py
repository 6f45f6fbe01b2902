"""The wrapped functions of an MPI library, in all their forms, and what each counts.

Counts come from ``byte_rules`` and ``timed_functions``, prototypes from the library's own header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from ...errors import BuildError
from .byte_rules import FILE_RULES, RULES, ByteRule, FileRule, MpiKind
from .prototypes import Prototype
from .timed_functions import (
    DERIVED,
    FILE_COLLECTIVES,
    FILE_TIMED,
    LEAVINGS,
    MEETINGS,
    MEETINGS_BEGUN,
    POLLS,
    TIMED,
    TOPOLOGIES,
    WINDOWS_AFTER,
    WINDOWS_BEFORE,
)

__all__ = ["BY_HAND", "CALLED", "SESSIONS", "WrappedFunction", "wrapped_functions"]

BY_HAND: Final = (
    "Init Init_thread Finalize Abort Start Startall Cancel Request_free"
    " Wait Test Waitany Testany Waitall Testall Waitsome Testsome File_open File_close"
)
"""Functions with hand-written wrappers in ``probe/mpi_life.c``, ``mpi_completion_….c`` and ``mpi_file.c``."""

SESSIONS: Final = "Session_init Session_finalize Group_from_session_pset Group_rank"
"""Session functions that ``probe/mpi_life.c`` wraps or calls; an MPI library has either all of them or none."""

CALLED: Final = (
    "Query_thread Comm_rank Comm_size Comm_remote_size Comm_test_inter Comm_get_parent Type_size_x Get_elements_x"
    " Comm_create_keyval Comm_free_keyval Comm_set_attr Comm_get_attr Status_f2c Test_cancelled Comm_group"
    " Comm_remote_group Group_size Group_translate_ranks Group_free Op_create Op_free Type_contiguous Type_commit"
    " Type_free Error_class Topo_test Cartdim_get Cart_get Cart_shift Graph_neighbors_count Dist_graph_neighbors_count"
)
"""Functions that the probe library itself calls."""


# Kind of collective, named by the processes whose work it needs → the arguments that determine these processes.
_COLLECTIVES: Final = {
    "everyone": "comm",
    "from_root": "root, comm",
    "to_root": "root, comm",
    "from_lower": "comm",
    "from_neighbours": "comm",
}

# Kind of blocking collective → the arguments of ``aa_path_enters`` and ``aa_path_leaves``.
_BLOCKING: Final = {
    "everyone": "AA_PATH_EVERYONE, 0, comm",
    "from_root": "AA_PATH_FROM_ROOT, root, comm",
    "to_root": "AA_PATH_TO_ROOT, root, comm",
    "from_lower": "AA_PATH_FROM_LOWER, 0, comm",
}


class Form(Enum):
    """How a function differs from the blocking function of its family in the table."""

    BLOCKING = auto()
    REQUEST = auto()
    PERSISTENT = auto()
    BEGIN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class WrappedFunction:
    """A function that ``byte_rules`` or ``timed_functions`` covers, in one of its forms.

    Attributes:
        prototype: The header's declaration.
        names: The rule's names for its parameters.
        counting: C statements over these names that count a successful call.
        counts: A description of what ``counting`` counts.
        share: The category of its time, from ``enum aa_share``.
        synchronises: Whether the probe library may call a barrier of its communicator before it.
        before: C statements for the critical path, before the call.
        after: C statements for the critical path, after a call in which this process took part, even if its buffer was
            too short.
        beside: C expression that begins the probe library's own collective, for the critical path, before this one;
            empty if there is none.
    """

    prototype: Prototype
    names: list[str]
    counting: list[str]
    counts: str
    share: str
    synchronises: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    beside: str = ""

    @property
    def operation(self) -> str:
        """The name, without the suffix of large-count functions."""
        return self.prototype.name.removesuffix("_c")


def wrapped_functions(prototypes: Mapping[str, Prototype]) -> Iterator[WrappedFunction]:
    """Yield all functions of ``byte_rules`` and ``timed_functions`` that the header declares, in all their forms.

    Raises:
        BuildError: A function's parameters differ from those in the MPI standard.
    """
    for rule in RULES:
        for prototype, form in _all_forms(_forms(rule), prototypes):
            names = _parameter_names(prototype, rule.parameters, form)
            counting, words = _counting(rule, form), _words(rule, form)
            yield WrappedFunction(
                *(prototype, names, counting, words, _share(rule.kind), _synchronises(rule, form)),
                before=_path_before(rule, form),
                after=_path_after(rule, form),
                beside=_path_beside(rule, form),
            )
    for file_rule in FILE_RULES:
        for prototype, form in _all_forms(_file_forms(file_rule), prototypes):
            names = _parameter_names(prototype, file_rule.parameters, form)
            counting, words = _counting_file(file_rule, prototype, form), _file_words(file_rule, form)
            before, beside = _file_before(prototype, form), _file_beside(prototype, form)
            yield WrappedFunction(prototype, names, counting, words, "AA_IO", before=before, beside=beside)
    for kind, functions in TIMED.items():
        for prototype in _timed(functions, prototypes):
            before = ("aa_path_leave(*argument_1);",) if prototype.name in LEAVINGS.split() else ()
            if statement := WINDOWS_BEFORE.get(prototype.name):
                before = (f"{statement};",)
            counting = _counting_time(prototype)
            beside = "aa_path_begin_everyone(argument_1)" if prototype.name in MEETINGS_BEGUN.split() else ""
            yield WrappedFunction(
                *(prototype, _numbered(prototype), counting, "time", _share(kind)), before=before, beside=beside
            )
    for prototype in _timed(FILE_TIMED, prototypes):
        of_open_file = prototype.parameters[0][0] == "MPI_File"
        counting = ["aa_file_count(argument_1, 0, 0, 0);"] if of_open_file else []
        meets = prototype.name in FILE_COLLECTIVES.split()
        before = ("aa_file_everyone(call, argument_1);",) if meets else ()
        yield WrappedFunction(prototype, _numbered(prototype), counting, "time of file I/O", "AA_IO", before=before)


def _share(kind: MpiKind) -> str:
    return f"AA_MPI_{kind.upper()}"


def _synchronises(rule: ByteRule, form: Form) -> bool:
    """Return whether a call may wait for all members; programs may rely on neighbour collectives not doing so."""
    everyone = rule.kind in ("barrier", "all_to_all", "collective") and not rule.names.startswith("Neighbor_")
    return everyone and form is Form.BLOCKING


def _forms(rule: ByteRule) -> Iterator[tuple[str, Form]]:
    for name in rule.names.split():
        yield name, Form.BLOCKING
        yield f"{'R' if rule.kind == 'one_sided' else 'I'}{name[0].lower()}{name[1:]}", Form.REQUEST
        yield f"{name}_init", Form.PERSISTENT


def _file_forms(rule: FileRule) -> Iterator[tuple[str, Form]]:
    for name in rule.names.split():
        yield name, Form.BLOCKING
        yield name.replace("File_", "File_i"), Form.REQUEST
        yield f"{name}_begin", Form.BEGIN
        yield f"{name}_end", Form.END


def _all_forms(
    forms: Iterator[tuple[str, Form]], prototypes: Mapping[str, Prototype]
) -> Iterator[tuple[Prototype, Form]]:
    for name, form in forms:
        yield from ((prototype, form) for prototype in _with_large_count(name, prototypes))


def _timed(names: str, prototypes: Mapping[str, Prototype]) -> Iterator[Prototype]:
    for name in names.split():
        yield from _with_large_count(name, prototypes)


def _with_large_count(name: str, prototypes: Mapping[str, Prototype]) -> Iterator[Prototype]:
    return (prototypes[function] for function in (name, f"{name}_c") if function in prototypes)


def _numbered(prototype: Prototype) -> list[str]:
    return [f"argument_{place}" for place, _ in enumerate(prototype.parameters, start=1)]


def _parameter_names(prototype: Prototype, parameters: str, form: Form) -> list[str]:
    """Return the rule's parameter names, with a status replaced by the parameters that this form has instead."""
    names = parameters.split()
    if form is Form.END:
        names = ["file", "buf", "status"]
    elif form is not Form.BLOCKING:
        names = [name for name in names if name != "status"]
    if form is Form.PERSISTENT and len(prototype.parameters) == len(names) + 2:
        names.append("info")
    if form in (Form.REQUEST, Form.PERSISTENT):
        names.append("request")
    if len(names) != len(prototype.parameters):
        raise BuildError(
            f"mpi.h declares MPI_{prototype.name} with {len(prototype.parameters)} parameters instead of "
            f"{len(names)} ({', '.join(names)}): please report this MPI library to the developers of autoanalyzer"
        )
    return names


def _counting(rule: ByteRule, form: Form) -> list[str]:
    """Return the statements that count; bytes that only a request's status contains are counted at completion."""
    received = "0" if rule.by_status else rule.received
    sent = f"aa_message({rule.sent}, dest, comm)" if rule.sends_message else rule.sent
    if form is Form.BLOCKING and rule.by_status:
        return [f"aa_count_mpi(1, {sent}, aa_status_bytes(status));"]
    if form is Form.PERSISTENT:
        prepared = f"aa_path_prepare_{rule.path}({_COLLECTIVES.get(rule.path)})"
        entry = (
            f"aa_persistent_receive(*request, {rule.sent}, source, tag, comm);"
            if rule.by_status
            else f"aa_persistent_send(*request, {rule.sent}, dest, tag, comm, {int(rule.path == 'synchronous')});"
            if rule.path in ("send", "synchronous")
            else f"aa_partitioned_send(*request, {rule.sent}, dest, comm);"
            if rule.sends_message
            else f"aa_persistent_collective(*request, {rule.sent}, {received}, aa_mpi_path ? {prepared} : NULL);"
            if rule.path in _COLLECTIVES
            else f"aa_persistent(*request, {rule.sent}, {received});"
        )
        left_out = ["aa_path_leaves_out(AA_PATH_PARTITIONED);"] * (rule.path == "partitioned")
        return ["aa_count_mpi(1, 0, 0);", entry, *left_out]
    counting = [f"aa_count_mpi(1, {sent}, {received});"]
    if form is Form.REQUEST and rule.path in _COLLECTIVES:
        counting.append("aa_collective_begun(*request, beside);")
    elif form is Form.REQUEST and rule.path == "synchronous":
        counting.append("aa_synchronous_begun(*request);")
    elif form is Form.REQUEST and rule.path == "matched":
        counting.append("aa_matched_begun(*request);")
    elif form is Form.REQUEST and rule.by_status and rule.source:
        tag = "recvtag" if rule.path == "exchange" else "tag"
        counting.append(f"aa_receive_begun(*request, {rule.source}, {tag}, comm);")
    elif form is Form.REQUEST:
        brings = "MESSAGE" if rule.by_status else "NOTHING"
        counting.append(f"aa_request_begun(*request, AA_BRINGS_{brings});")
    return counting


def _path_before(rule: ByteRule, form: Form) -> tuple[str, ...]:
    """Return the statements that send path data before a call; none for a persistent call."""
    if form is Form.PERSISTENT:
        return ()
    if rule.path in _BLOCKING:
        return (f"aa_path_enters({_BLOCKING[rule.path]});",) if form is Form.BLOCKING else ()
    return {
        "send": ("aa_path_send(dest, tag, comm);",),
        "synchronous": ("aa_path_ask(dest, tag, comm);",),
        "exchange": ("aa_path_send(dest, sendtag, comm);",),
        "matched": ("aa_path_take_matched(AA_MESSAGE(*message));",),
    }.get(rule.path, ())


def _path_beside(rule: ByteRule, form: Form) -> str:
    """Return the expression that begins ours before the program's non-blocking collective, to end no later."""
    if form is not Form.REQUEST or rule.path not in _COLLECTIVES:
        return ""
    return f"aa_path_begin_{rule.path}({_COLLECTIVES[rule.path]})"


def _path_after(rule: ByteRule, form: Form) -> tuple[str, ...]:
    """Return the statements that receive a message's path data or answer, or exchange data after a collective."""
    if form is not Form.BLOCKING or rule.path in ("", "send"):
        return ()
    if rule.path in _BLOCKING:
        return (f"aa_path_leaves({_BLOCKING[rule.path]});",)
    return {
        "from_neighbours": ("aa_path_from_neighbours(comm);",),
        "synchronous": ("aa_path_answered(aa_path_question());",),
        "matched": ("aa_path_received_matched(status->MPI_SOURCE, status->MPI_TAG);",),
    }.get(rule.path, ("aa_path_received(status, comm);",))


def _counting_time(prototype: Prototype) -> list[str]:
    """Return the statements for a call without bytes, including those that report a new communicator to the library."""
    counting = ["aa_count_mpi(1, 0, 0);"]
    if prototype.name in POLLS.split():
        found = [place for place, parameter in enumerate(prototype.parameters, start=1) if parameter == ("int *", "")]
        counting = [f"if (*argument_{found[-1]})", f"    {counting[0]}"]
    if prototype.name in DERIVED.split():
        counting.append(f"aa_mpi_split_made(argument_1, *argument_{len(prototype.parameters)});")
    if prototype.name in ("Mprobe", "Improbe"):
        flag, message = (f"*argument_{len(prototype.parameters) - place}" for place in (2, 1))
        when = "aa_mpi_path" if prototype.name == "Mprobe" else f"aa_mpi_path && {flag}"
        counting += [f"if ({when})", f"    aa_path_matched(AA_MESSAGE({message}), argument_3);"]
    if meetings := MEETINGS.get(prototype.name, ()):
        counting += ["if (aa_mpi_path) {", *(f"    aa_path_everyone({comm});" for comm in meetings), "}"]
    if statement := WINDOWS_AFTER.get(prototype.name.removesuffix("_c")):
        counting += ["if (aa_mpi_path)", f"    {statement};"]
    if prototype.name in TOPOLOGIES.split():
        counting.append(f"aa_topology_made(*argument_{len(prototype.parameters)});")
    before, after = prototype.parameters[-1] if prototype.parameters else ("", "")
    if prototype.name in MEETINGS_BEGUN.split():
        counting.append(f"aa_collective_begun(*argument_{len(prototype.parameters)}, beside);")
    elif (before.strip(), after) == ("MPI_Request *", ""):
        counting.append(f"aa_request_begun(*argument_{len(prototype.parameters)}, AA_BRINGS_NOTHING);")
    return counting


def _counting_file(rule: FileRule, prototype: Prototype, form: Form) -> list[str]:
    """Return the statements that count a file transfer: one call, and the bytes in its status, now or at completion."""
    if form is Form.REQUEST:
        arguments = f"file, *request, AA_FILE_{rule.direction.upper()}"
        by_all = _file_path(prototype) != ""
        return [f"aa_file_begun_by_all({arguments}, beside);" if by_all else f"aa_file_begun({arguments});"]
    if form is Form.BEGIN:
        return ["aa_file_count(file, 1, 0, 0);", "aa_file_split(file, beside);"]
    bytes_ = "aa_status_bytes(status), 0" if rule.direction == "read" else "0, aa_status_bytes(status)"
    counting = [f"aa_file_count(file, {int(form is Form.BLOCKING)}, {bytes_});"]
    return [*counting, *(["aa_file_split_ends(file);"] * (form is Form.END))]


def _file_path(prototype: Prototype) -> str:
    """Return which ranks wait for each other in a file transfer, as a kind of collective; empty if none do."""
    name = prototype.name
    return "everyone" if "_all" in name else "from_lower" if "_ordered" in name else ""


def _file_before(prototype: Prototype, form: Form) -> tuple[str, ...]:
    path = _file_path(prototype)
    return (f"aa_file_{path}(call, file);",) if path and form is Form.BLOCKING else ()


def _file_beside(prototype: Prototype, form: Form) -> str:
    path = _file_path(prototype)
    return f"aa_file_begin_{path}(file)" if path and form in (Form.REQUEST, Form.BEGIN) else ""


def _words(rule: ByteRule, form: Form) -> str:
    """Describe what a function counts: ``sent peer_bytes(dest, count, type), received the bytes in the status``."""
    received = "the bytes in the status" if rule.by_status else rule.received
    if rule.by_status and form is not Form.BLOCKING:
        received += " at completion"
    parts = [("sent", rule.sent), ("received", received)]
    text = ", ".join(f"{what} {how.replace('aa_', '')}" for what, how in parts if how != "0") or "time"
    return f"at each start: {text}" if form is Form.PERSISTENT else text


def _file_words(rule: FileRule, form: Form) -> str:
    """Describe what a file function counts: ``read the bytes in the status at completion``."""
    if form is Form.BEGIN:
        return "the call"
    return f"{rule.direction} the bytes in the status{' at completion' if form is Form.REQUEST else ''}"
