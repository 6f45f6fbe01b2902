"""What Python makes anew in each process, kept from one compile to the next: a fifth of the time of a short one.

Regular expressions of modules become code of ``re``'s engine, dataclasses become text that Python compiles, and ``re``
and ``dataclasses`` keep neither. Python's ``.pyc`` files do the same for modules. That ``re`` checks code that it gets
again, and that all of this is of one release of Python alone, makes it safe to keep; without it everything works.
"""

from __future__ import annotations

import builtins
import marshal
import sys
from contextlib import suppress
from importlib import import_module

from ..errors import AutoanalyzerError
from ..instrument.store import digest, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["KeptCode"]


class KeptCode:
    """Take kept code where there is some, from now on, and note what there is not yet."""

    def __init__(self) -> None:
        self._place = digest("code", sys.version)
        self._code: dict[Any, Any] = {}
        self._is_new = False
        with suppress(AutoanalyzerError, EOFError, TypeError, ValueError):
            self._code = marshal.loads(open_store().get(self._place) or marshal.dumps({}))
        import re  # noqa: PLC0415

        dataclasses = _imported_without_inspect("dataclasses")
        self._compiler: Any = vars(re)["_compiler"]
        self._compile = self._compiler.compile
        self._engine = self._compiler._sre
        self._compiler.compile = self._pattern
        vars(dataclasses)["exec"] = self._execute

    def keep(self) -> None:
        """Keep what was noted."""
        if self._is_new:
            with suppress(AutoanalyzerError):
                open_store().put(self._place, marshal.dumps(self._code))

    def _pattern(self, pattern: Any, flags: Any = 0) -> Any:
        """Compile an expression; those of modules are kept, but not what functions make up."""
        key = (pattern, int(flags))
        if known := self._code.get(key):
            return self._engine.compile(pattern, *known)
        if sys._getframe(3).f_code.co_name != "<module>":
            return self._compile(pattern, flags)
        watched: Any = type(sys)("_sre")
        vars(watched).update(vars(self._engine))

        def made(pattern: Any, flags: Any, code: list[Any], *groups: Any) -> Any:
            plain = (int(flags), [int(each) for each in code], *groups)
            self._note(key, plain)
            return self._engine.compile(pattern, *plain)

        watched.compile = made
        self._compiler._sre = watched
        try:
            return self._compile(pattern, flags)
        finally:
            self._compiler._sre = self._engine

    def _execute(self, text: str, *names: dict[str, Any]) -> None:
        """Carry out the text of a dataclass."""
        code = self._code.get(text)
        if code is None:
            code = compile(text, "<dataclass>", "exec")
            self._note(text, code)
        builtins.exec(code, *names)

    def _note(self, key: Any, made: Any) -> None:
        self._code[key] = made
        self._is_new = True


def _imported_without_inspect(name: str) -> ModuleType:
    """Import a module that asks ``inspect``, which is large, only for the signatures of what has no docstring."""
    inspect: Any = type(sys)("inspect")
    inspect.signature = lambda _: ""
    inspect.__getattr__ = lambda attribute: getattr(import_module("inspect"), attribute)
    known = sys.modules.get("inspect")
    sys.modules["inspect"] = known or inspect
    try:
        return import_module(name)
    finally:
        if known is None:
            del sys.modules["inspect"]
