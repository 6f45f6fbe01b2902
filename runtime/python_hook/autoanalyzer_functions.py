"""Record Python functions as regions: choose them, and install hooks for their calls.

This module runs in the program's own interpreter, 3.9 or later, without the rest of this package. Calls go directly to
the preloaded probe library (``runtime/probe/python.c``); this module only decides, once per function, whether it is a
region.

All imports happen while ``sitecustomize`` runs, which hides them from the program. Later imports could find the
program's own modules, or load modules that the program does not.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

__all__ = ["record"]

_DESCRIPTOR_VERSION = "aa1"  # the same as DESCRIPTOR_VERSION in experiment/region.py
_IS_FUNCTION = 0x1  # CO_OPTIMIZED is set for functions, but not for modules and bodies of classes
# parts of the enclosing function, not functions of their own
_PARTS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_TOOL = 4  # a tool ID for sys.monitoring that Python does not reserve
_MOST_NAMES = 5000
_EVENTS = {"call": 0, "return": 3}  # PyTrace_CALL, PyTrace_RETURN
_NO_EVENT = -1
_NO_ESCAPE = 0x2  # FNM_NOESCAPE
_IMPORT = ("<frozen importlib._bootstrap>", "_find_and_load")  # the function that every import of a new module calls
_IMPORTS = f"{_DESCRIPTOR_VERSION}|function|imports|||0|0|0"
_ESCAPES = str.maketrans({"%": "%25", "|": "%7C", "\n": "%0A", "\r": "%0D"})

_fnmatch = ctypes.PyDLL(None).fnmatch


def record(patterns: list[str]) -> None:
    """Start recording functions.

    Raises:
        RuntimeError: This interpreter cannot report calls.
    """
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise RuntimeError("expected a Python with the global interpreter lock, found a Python without it")
    library = ctypes.PyDLL(None)
    if not hasattr(library, "aa_python_open"):
        return  # no probe library is preloaded
    report = _Report(library)
    choice = _Choice(patterns, _Regions(library), report)
    monitoring = getattr(sys, "monitoring", None)
    library.aa_python_open.argtypes = [ctypes.py_object, ctypes.py_object]
    library.aa_python_open.restype = ctypes.c_bool
    if not library.aa_python_open(choice.decide, monitoring and monitoring.DISABLE):
        raise RuntimeError("expected the C interface of Python 3.9 to 3.13, found another version")
    report.say("python", [sys.version.partition(" ")[0]])
    atexit.register(lambda: report.say("called", sorted(choice.called)))
    if monitoring:
        _monitor(monitoring, library, choice)
    else:
        _profile(library, choice, report)


class _Regions:
    """Creates regions for code objects in the probe library."""

    def __init__(self, library: ctypes.PyDLL) -> None:
        self._keep = library.aa_python_region
        self._keep.argtypes = [ctypes.c_char_p]
        self._keep.restype = ctypes.c_void_p
        self._mark = library.aa_python_mark
        self._mark.argtypes = [ctypes.py_object, ctypes.c_void_p]
        self._mark.restype = None
        self._known: dict[str, int] = {}

    def mark(self, code: CodeType, descriptor: str | None) -> None:
        """Make a code object the region with the given descriptor, or no region if it is None."""
        if descriptor is not None and descriptor not in self._known:
            self._known[descriptor] = self._keep(_encoded(descriptor))
        self._mark(code, None if descriptor is None else self._known[descriptor])


class _Report:
    """Reports facts to ``run``, through a file among the shards to which the probe library appends lines.

    Lines are written immediately, because a process may end at any time. They are written outside the interpreter, so
    that the program does not notice them, not even as I/O.
    """

    def __init__(self, library: ctypes.PyDLL) -> None:
        self._folder = os.path.abspath(os.environ["AUTOANALYZER_SHARDS"])
        self._node = os.uname().nodename
        self._append = library.aa_python_append
        self._append.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        self._append.restype = None

    def say(self, word: str, texts: list[str]) -> None:
        """Append a line for each text; each line begins with the given word."""
        file = f"{self._folder}/{self._node}.{os.getpid()}.python.txt"
        lines = "".join(f"{word} {text.translate(_ESCAPES)}\n" for text in texts)
        self._append(_encoded(file), _encoded(lines))


class _Choice:
    """Chooses the functions that are regions.

    Attributes:
        patterns: ``FUNCTION``, ``MODULE:FUNCTION`` or ``FILE.py``, each with shell wildcards.
        matched: Patterns that matched a function that was called.
        called: The program's own functions that were called, as ``MODULE:FUNCTION``.
        chosen: Called with each code object that is a region.
        threading: Called with the globals of ``threading`` when its first thread starts.
        begun: Called when the program's own script begins; from then on, imports count as a region.
    """

    def __init__(self, patterns: list[str], regions: _Regions, report: _Report) -> None:
        self.patterns = patterns
        self.matched: set[str] = set()
        self.called: set[str] = set()
        self.chosen: Callable[[CodeType], object] = lambda code: None
        self.threading: Callable[[dict[str, Any]], object] = lambda module: None
        self.begun: Callable[[], object] = lambda: None
        self._has_begun = False
        self._report = report
        self._regions = regions
        self._here = os.getcwd()
        self._library, self._hook = (
            os.path.dirname(os.path.abspath(each)) + os.sep for each in (os.__file__, __file__)
        )

    def decide(self, frame: FrameType | None) -> None:
        """Mark the code object of a function that is called for the first time.

        Args:
            frame: The frame of the call; None for the caller's frame.
        """
        frame = frame or sys._getframe(1)
        code, module = frame.f_code, frame.f_globals
        if code.co_name == "start" and module.get("__name__") == "threading":
            self.threading(module)
        is_import = (code.co_filename, code.co_name) == _IMPORT
        if is_import and not self._has_begun:
            return  # stays undecided, so that imports of an interpreter without a user's program are not recorded
        descriptor = _IMPORTS if is_import else self._descriptor(code, str(module.get("__name__", "")))
        self._regions.mark(code, descriptor)
        if descriptor is not None:
            self.chosen(code)

    def _descriptor(self, code: CodeType, module: str) -> str | None:
        path = os.path.join(self._here, code.co_filename)
        own = self._is_own(code.co_filename, path)
        file = os.path.relpath(path, self._here) if path.startswith(self._here + os.sep) else path
        if code.co_name == "<module>" and module == "__main__" and own:
            self._has_begun = True
            self.begun()
            name = os.path.basename(file)
            return _descriptor("program", name, file, 1, _last_line(code))
        if not code.co_flags & _IS_FUNCTION or code.co_name in _PARTS:
            return None
        name = _name(code)
        if own and len(self.called) < _MOST_NAMES:
            self.called.add(f"{module}:{name}")
        hits = [pattern for pattern in self.patterns if _matches(pattern, name, module, file, path, own=own)]
        first = [pattern for pattern in hits if pattern not in self.matched]
        if first:
            self.matched.update(first)
            self._report.say("matched", first)
        return _descriptor("function", name, file, code.co_firstlineno, _last_line(code)) if hits else None

    def _is_own(self, name: str, path: str) -> bool:
        """Return whether a file is the program's, not Python's or an installed package's."""
        return not (
            name.startswith("<")
            or path.startswith((self._library, self._hook))
            or f"{os.sep}site-packages{os.sep}" in path
            or f"{os.sep}dist-packages{os.sep}" in path
        )


def _matches(pattern: str, name: str, module: str, file: str, path: str, *, own: bool) -> bool:
    if pattern.endswith(".py") or os.sep in pattern:
        places = [file, path] if os.sep in pattern else [os.path.basename(file)]
        return any(_fits(place, pattern) for place in places)
    of_module, colon, function = pattern.rpartition(":")
    names = [name, name.rpartition(".")[2]]
    if not any(_fits(each, function) for each in names):
        return False
    if not colon:
        return own
    stem = os.path.splitext(os.path.basename(file))[0]
    return _fits(module, of_module) or (module == "__main__" and _fits(stem, of_module))


def _fits(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern; use the C library, because Python's module is not imported yet."""
    return bool(_fnmatch(_encoded(pattern), _encoded(text), _NO_ESCAPE) == 0)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _name(code: CodeType) -> str:
    """Return a function's qualified name: ``Grid.step``, ``main.inner``, ``main.lambda@41``."""
    name: str = getattr(code, "co_qualname", code.co_name)
    return name.replace(".<locals>", "").replace("<lambda>", f"lambda@{code.co_firstlineno}")


def _last_line(code: CodeType) -> int:
    if hasattr(code, "co_lines"):
        return max(line or 0 for _, _, line in code.co_lines())
    line = last = code.co_firstlineno
    for step in code.co_lnotab[1::2]:
        line += step if step < 0x80 else step - 0x100
        last = max(last, line)
    return last


def _descriptor(kind: str, name: str, file: str, first: int, last: int) -> str:
    texts = [each.translate(_ESCAPES) for each in (kind, name, file, name)]
    return "|".join([_DESCRIPTOR_VERSION, *texts, "0", str(first), str(last)])


def _monitor(monitoring: Any, library: ctypes.PyDLL, choice: _Choice) -> None:
    """Let ``sys.monitoring`` report calls of chosen functions; other functions are disabled at their first call."""
    event = monitoring.events
    library.aa_python_callback.argtypes = [ctypes.c_char]
    library.aa_python_callback.restype = ctypes.py_object
    monitoring.use_tool_id(_TOOL, "autoanalyzer")
    callbacks = {
        event.PY_START: b"s",
        event.PY_RESUME: b"r",
        event.PY_THROW: b"r",
        event.PY_RETURN: b"l",
        event.PY_YIELD: b"l",
        event.PY_UNWIND: b"l",
    }
    for each, kind in callbacks.items():
        monitoring.register_callback(_TOOL, each, library.aa_python_callback(kind))
    local = event.PY_START | event.PY_RESUME | event.PY_RETURN | event.PY_YIELD
    choice.begun = monitoring.restart_events
    choice.chosen = lambda code: monitoring.set_local_events(_TOOL, code, local)
    monitoring.set_events(_TOOL, event.PY_START | event.PY_THROW | event.PY_UNWIND)


def _profile(library: ctypes.PyDLL, choice: _Choice, report: _Report) -> None:
    """Let the interpreter report all calls, in this thread and in those that ``threading`` starts.

    ``begin`` represents the hook in the interpreter. It is called when a thread starts, or when a program restores it
    after a hook of its own, and replaces itself with the function in C.
    """
    profile = library.aa_python_profile
    profile.argtypes = [ctypes.py_object, ctypes.py_object, ctypes.c_int]
    profile.restype = None

    def begin(frame: FrameType, event: str, _: object) -> None:
        profile(begin, frame, _EVENTS.get(event, _NO_EVENT))

    def end() -> None:
        if sys.getprofile() is not begin:
            report.say("displaced", [""])

    atexit.register(end)
    choice.threading = lambda module: module["_profile_hook"] or module["setprofile"](begin)
    profile(begin, None, _NO_EVENT)
