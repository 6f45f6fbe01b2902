"""What the installed commands call: our own modules come before the user's, then the command begins."""

from __future__ import annotations

from ..own_modules import prefer_own_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["autoanalyzer", "compiler"]


def autoanalyzer() -> NoReturn:
    """Be the command ``autoanalyzer``."""
    prefer_own_modules()
    from .main import main  # noqa: PLC0415 - it is ours only now

    main()


def compiler() -> NoReturn:
    """Be ``aa-compiler``, to which the stand-ins lead."""
    prefer_own_modules()
    from .wrapper import compiler  # noqa: PLC0415

    compiler()
