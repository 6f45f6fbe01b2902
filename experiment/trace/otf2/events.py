"""Read an OTF2 archive's events in order of time, as plain numbers, 20 times as fast as with the package's objects."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["NUMBERS", "Take", "read_events"]

Take = Callable[..., None]
"""Callback for an event; its arguments are the location's number, the time in ticks, and the event's attributes."""

_U8: Final = ctypes.c_uint8
_U32: Final = ctypes.c_uint32
_U64: Final = ctypes.c_uint64
_MESSAGE: Final = (_U32, _U32, _U32, _U64)  # fields: the other rank, communicator, tag, bytes
_COLLECTIVE: Final = (_U8, _U32, _U32, _U64, _U64)  # fields: operation, communicator, root, bytes sent and received
NUMBERS: Final[Mapping[str, tuple[Any, ...]]] = {
    "Enter": (_U32,),
    "Leave": (_U32,),
    "MpiSend": _MESSAGE,
    "MpiIsend": (*_MESSAGE, _U64),
    "MpiIsendComplete": (_U64,),
    "MpiRecv": _MESSAGE,
    "MpiIrecvRequest": (_U64,),
    "MpiIrecv": (*_MESSAGE, _U64),
    "MpiProbe": _MESSAGE,  # the last field is the message's number instead of its size
    "MpiMrecv": (_U64, _U64),
    "MpiImrecvRequest": (_U64, _U64),
    "MpiImrecv": (_U64, _U64),
    "MpiCollectiveBegin": (),
    "MpiCollectiveEnd": _COLLECTIVE,
    "NonBlockingCollectiveRequest": (_U64,),
    "NonBlockingCollectiveComplete": (*_COLLECTIVE, _U64),
    "ThreadFork": (_U8, _U32),
    "ThreadJoin": (_U8,),
    "OmpFork": (_U32,),
    "OmpJoin": (),
}
"""Kind of event whose attributes are all numbers → the types of its attributes, as in OTF2_Events.h."""

_BATCH: Final = 1 << 20
_DONE, _FAILED = 0, 1  # OTF2_CALLBACK_SUCCESS, OTF2_CALLBACK_INTERRUPT


def read_events(archive: Any, takes: Mapping[str, Take], rest: Callable[[str, int, Any], None]) -> None:
    """Read all events of all locations, once.

    Args:
        archive: The archive, opened by OTF2's own reader.
        takes: Kind of event, one of the keys of ``NUMBERS`` → its handler.
        rest: Handles all other events; its arguments are the kind, the location's number, and the event.

    If a handler raises an exception, reading ends, and the exception is raised again.
    """
    import _otf2  # noqa: PLC0415 - an optional dependency
    from otf2.event_reader import BufferedEventReader  # noqa: PLC0415

    failures: list[BaseException] = []

    class Rest(BufferedEventReader):  # type: ignore[misc]
        """Passes each event on to ``rest``, instead of collecting events."""

        def _append(self, kind: Any, location: int, time: int, _data: Any, _attributes: Any, *values: Any) -> None:
            rest(kind.__name__, location, kind._construct(archive.definitions, time, *values))

    reader = archive._get_global_evt_reader_handle(None)
    callbacks = _otf2.GlobalEvtReaderCallbacks_New()
    others = Rest(archive, _BATCH)
    others._set_global_event_reader_callbacks(callbacks)
    kept: list[Any] = [others]  # keeps the callbacks alive while events are read
    for kind, take in takes.items():
        setter = f"OTF2_GlobalEvtReaderCallbacks_Set{kind}Callback"
        try:
            # Each callback is a new function object, because the package sets argument types on its function objects.
            register = _otf2.Config.conf.lib[setter]
        except AttributeError:  # this version of the package does not have this kind of event
            continue
        made = ctypes.CFUNCTYPE(ctypes.c_int, _U64, _U64, ctypes.c_void_p, ctypes.c_void_p, *NUMBERS[kind])
        kept.append(made(_callback(take, failures)))
        register(callbacks, kept[-1])
    _otf2.GlobalEvtReader_SetCallbacks(reader, callbacks, None)
    _otf2.GlobalEvtReaderCallbacks_Delete(callbacks)
    try:
        while _otf2.GlobalEvtReader_ReadEvents(reader, _BATCH) == _BATCH:
            pass
    except _otf2.Error:
        if not failures:
            raise
    if failures:
        raise failures[0]


def _callback(take: Take, failures: list[BaseException]) -> Callable[..., int]:
    """Return a callback that never raises; instead, it appends an exception to ``failures``, which ends the reading."""

    def called(location: int, time: int, _data: Any, _attributes: Any, *values: int) -> int:
        try:
            take(location, time, *values)
        except Exception as error:
            failures.append(error)
            return _FAILED
        return _DONE

    return called
