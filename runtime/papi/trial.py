"""Test what PAPI really counts, in a separate program, because a library may hang, abort or print.

The program reads a request from standard input, written by ``lookup.py``, and prints each fact as a line of JSON as
soon as it is known. It is run by its path and imports only the standard library.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

_VERSIONS: Final = ((7, 2), (7, 1), (7, 0), (6, 0), (5, 7), (5, 6))  # the same as in ../probe/papi.c
_OK: Final = 0
_NULL: Final = -1
_PRESET: Final = -0x80000000
_NATIVE: Final = 0x40000000
_ALL, _FIRST = 0, 1  # modifiers for PAPI_enum_event: all, first
_NAME: Final = 1024  # maximum length of an event's name, in bytes
_REASON: Final = 512  # the offset of the reason in PAPI_component_info_t, the same in all versions
_KERNEL: Final = ":u=1:k=1"  # the same as KERNEL_PART in choices.py
# components that count a thread's events; other components count events of a device or of the whole machine
_OF_A_THREAD: Final = ("perf_event", "sde")
_SDE: Final = "sde:::"
_PACKAGE: Final = "python_papi"
_PAGES: Final = 64
_MOST_VALUES: Final = 512


class Papi:
    """The PAPI library and an event set."""

    def __init__(self) -> None:
        self.name, self.whose, self._library = _opened()
        self._library.PAPI_get_component_info.restype = ctypes.c_void_p
        self._library.PAPI_strerror.restype = ctypes.c_char_p
        self.version = next((each for each in _VERSIONS if self._takes(each)), None)
        self.by_turns = False

    def _takes(self, version: tuple[int, int]) -> bool:
        number = version[0] << 24 | version[1] << 16
        return bool(self._library.PAPI_library_init(number) == number)

    def components(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield number, name and description of each component, and why it is unavailable; empty if it is available."""
        for number in range(self._library.PAPI_num_components()):
            place = self._library.PAPI_get_component_info(number)
            texts = [ctypes.string_at(place + at) for at in (0, 192, _REASON)]
            name, about, reason = (text.decode(errors="replace").strip() for text in texts)
            yield number, name, about, reason

    def presets(self) -> Iterator[str]:
        """Yield all preset events that PAPI knows."""
        yield from self._enumerated(_PRESET, self._library.PAPI_enum_event)

    def natives(self, component: int) -> Iterator[str]:
        """Yield the names of a component's events."""
        enumerate_events = self._library.PAPI_enum_cmp_event
        yield from self._enumerated(_NATIVE, lambda code, way: enumerate_events(code, way, component))

    def _enumerated(self, start: int, following: Any) -> Iterator[str]:
        code, name = ctypes.c_int(start), ctypes.create_string_buffer(_NAME)
        way = _FIRST
        while following(ctypes.byref(code), way) == _OK:
            way = _ALL
            if self._library.PAPI_event_code_to_name(code, name) == _OK:
                yield name.value.decode(errors="replace")

    def component_of(self, event: str) -> int | None:
        """Return the component that counts an event; None if there is none."""
        code = ctypes.c_int()
        if self._library.PAPI_event_name_to_code(event.encode(), ctypes.byref(code)) != _OK:
            return None
        found: int = self._library.PAPI_get_event_component(code)
        return found if found >= 0 else None

    def counted(self, events: Sequence[str], *, kernel: bool = False) -> tuple[list[int], str]:
        """Count some events together during a little work; return the counts, and the reason for a failure or "".

        Args:
            events: The events' names.
            kernel: Whether the work includes the kernel, which takes a long time on busy cores.
        """
        number = ctypes.c_int(_NULL)
        self._library.PAPI_create_eventset(ctypes.byref(number))
        try:
            if self.by_turns and (reason := self._take_turns(number)):
                return [], reason
            for event in events:
                code = self._library.PAPI_add_named_event(number, event.encode())
                if code != _OK:
                    return [], self._said(code)
            code = self._library.PAPI_start(number)
            if code != _OK:
                return [], self._said(code)
            _work()
            if kernel:
                _wait()
            values = (ctypes.c_longlong * _MOST_VALUES)()
            code = self._library.PAPI_stop(number, values)
            return ([], self._said(code)) if code != _OK else (list(values[: len(events)]), "")
        finally:
            self._library.PAPI_cleanup_eventset(number)
            self._library.PAPI_destroy_eventset(ctypes.byref(number))

    def _take_turns(self, number: ctypes.c_int) -> str:
        """Multiplex the events of a set; return the reason for a failure, or an empty string."""
        component = self._library.PAPI_get_component_index(b"perf_event")
        for code in (
            self._library.PAPI_multiplex_init(),
            self._library.PAPI_assign_eventset_component(number, component),
            self._library.PAPI_set_multiplex(number),
        ):
            if code != _OK:
                return f"there are no hardware counters that events could share ({self._said(code)})"
        return ""

    def _said(self, code: int) -> str:
        text = self._library.PAPI_strerror(code)
        return text.decode(errors="replace") if text else f"error {code}"


def _opened() -> tuple[str, str, ctypes.CDLL]:
    """Open the library that programs get; return its name, its origin (see ``Lookup.whose``), and the library."""
    chosen, packaged = (os.environ.get(name, "") for name in ("AUTOANALYZER_PAPI", "AUTOANALYZER_PACKAGED_PAPI"))
    if chosen not in ("", _PACKAGE):
        return chosen, "chosen", ctypes.CDLL(chosen)
    if not chosen:
        for name in (*(f"libpapi.so.{major}.{minor}" for major, minor in _VERSIONS), "libpapi.so"):
            with suppress(OSError):
                return name, "system", ctypes.CDLL(name)
    if packaged:
        return packaged, _PACKAGE, ctypes.CDLL(packaged)
    raise OSError("found no libpapi of version 5.6 to 7.2")


def _work() -> None:
    """Do a little work that events count: instructions, and page faults."""
    with mmap.mmap(-1, _PAGES * mmap.PAGESIZE) as memory:
        for page in range(_PAGES):
            memory[page * mmap.PAGESIZE] = 1


def _wait() -> None:
    """Release the core, and move to another core."""
    time.sleep(1e-4)
    allowed = os.sched_getaffinity(0)
    for processor in sorted(allowed)[:2]:
        os.sched_setaffinity(0, {processor})
    os.sched_setaffinity(0, allowed)


def tried(papi: Papi, event: str, software: Iterable[str]) -> dict[str, Any]:
    """Return the result of testing an event; events of the kernel are first tested with the kernel's part."""
    of_kernel = event in software
    for spelt in (*([f"{event}{_KERNEL}"] if of_kernel else []), event):
        values, reason = papi.counted([spelt], kernel=of_kernel)
        if not reason:
            outcome = "counts" if values[0] > 0 else "starts"
            return {"event": event, "outcome": outcome, "as": spelt, "whole": not of_kernel or spelt != event}
    return {"event": event, "outcome": "fails", "reason": reason}


def together(papi: Papi, events: Sequence[str], most: int) -> list[list[str]]:
    """Divide working events into few groups that can be counted together; an event joins the first group that works."""
    groups: list[list[str]] = []
    for event in events:
        for group in groups:
            if len(group) < most and papi.counted([*group, event])[0]:
                group.append(event)
                break
        else:
            groups.append([event])
    return groups


def chosen(papi: Papi, choices: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return our metrics' events, chosen as the probe library does: each must start together with the earlier ones."""
    found: dict[str, str] = {}
    for choice in choices:
        part = next(iter(choice))
        if part not in found and papi.counted([*({**found, **choice}).values()])[0]:
            found |= choice
    return found


def main() -> None:
    """Read the request and print the results."""
    question = json.load(sys.stdin)
    _tell(python_papi=_binding())
    try:
        papi = Papi()
    except OSError as error:
        _tell(library=None, reason=str(error))
        return
    if papi.version is None:
        _tell(library=papi.name, whose=papi.whose, reason="libpapi cannot be initialised")
        return
    _tell(library=papi.name, whose=papi.whose, version=".".join(map(str, papi.version)))
    components = list(papi.components())
    for _, name, about, reason in components:
        _tell(component=name, about=about, reason=reason)
    if question["events"] is not None:
        _some(papi, question, {number: name for number, name, *_ in components})
    else:
        _all(papi, question, components)
    _tell(end=True)


def _some(papi: Papi, question: Mapping[str, Any], names: Mapping[int, str]) -> None:
    """Test the requested events, and which of them can be counted together."""
    found: dict[str, list[str]] = {}
    papi.by_turns = question["multiplex"]
    for event in question["events"]:
        if event.startswith(_SDE) and papi.by_turns:
            _tell(
                event=event,
                component="sde",
                outcome="fails",
                reason="is not counted by a hardware counter, so it cannot be multiplexed",
            )
            continue
        if event.startswith(_SDE):  # provided by the program itself, which does not run here
            _tell(event=event, component="sde", outcome="unseen", **{"as": event, "whole": True})
            found.setdefault("sde", []).append(event)
            continue
        number = papi.component_of(event)
        component = names.get(number, "") if number is not None else ""
        if not component:
            _tell(event=event, component="", outcome="fails", reason="PAPI has no such event on this machine")
            continue
        if component not in _OF_A_THREAD:
            _tell(event=event, component=component, outcome="fails", reason="cannot be counted per thread")
            continue
        fact = tried(papi, event, question["software"])
        _tell(component=component, **fact)
        if fact["outcome"] != "fails":
            found.setdefault(component, []).append(fact["as"])
    for component, events in found.items():
        most = question["most"]
        unseen = [events[at : at + most] for at in range(0, len(events), most)]
        _tell(groups=unseen if component == "sde" else together(papi, events, most))


def _all(papi: Papi, question: Mapping[str, Any], components: Iterable[tuple[int, str, str, str]]) -> None:
    """Test all known events."""
    found: dict[str, list[str]] = {"preset": [], "software": [], "native": []}
    _tell(metrics=chosen(papi, question["choices"]))
    for number, name, _, reason in components:
        if reason or name not in _OF_A_THREAD:
            continue
        for event in papi.natives(number):
            if event.startswith("perf_raw::"):
                continue
            fact = tried(papi, event, question["software"])
            kind = "software" if event in (*question["software"], *question["clocks"]) else "native"
            _tell(component=name, kind=kind, **fact)
            if fact["outcome"] == "counts":
                found[kind].append(fact["as"])
    for event in papi.presets():
        fact = tried(papi, event, ())
        _tell(component="perf_event", kind="preset", **fact)
        if fact["outcome"] == "counts":
            found["preset"].append(event)
    for kind, events in found.items():
        if events:
            _tell(together=kind, events=together(papi, events[: question["most"]], len(events))[0])


def _binding() -> dict[str, str] | None:
    """Return the versions of the package python_papi and of the PAPI in it; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes time

    try:
        installed = version("python_papi")
    except PackageNotFoundError:
        return None
    try:
        from pypapi.consts import PAPI_VERSION  # noqa: PLC0415
    except Exception as error:  # any error of a library that is not ours
        return {"version": installed, "papi": "", "reason": f"{type(error).__name__}: {error}"}
    return {"version": installed, "papi": f"{PAPI_VERSION >> 24}.{PAPI_VERSION >> 16 & 255}", "reason": ""}


def _tell(**fact: Any) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
