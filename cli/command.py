"""What the installed commands call: our standard streams and modules are put in order, then the command begins."""

from __future__ import annotations

from ..own_modules import prefer_own_modules
from ..standard_streams import hold_closed_streams
from .python_variables import give_back_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["autoanalyzer", "compiler"]


def autoanalyzer() -> NoReturn:
    """Be the command ``autoanalyzer``."""
    give_back_variables()
    hold_closed_streams()
    prefer_own_modules()
    from .main import main

    main()


def compiler() -> NoReturn:
    """Be ``aa-compiler``, to which the stand-ins lead."""
    give_back_variables()
    hold_closed_streams()
    prefer_own_modules()
    from .wrapper import compiler

    compiler()
