"""Entry points of the installed commands: set up standard streams and modules, then start the command."""

from __future__ import annotations

from ..own_modules import prefer_own_modules
from ..standard_streams import hold_closed_streams
from .python_variables import give_back_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["autoanalyzer", "compiler"]


def autoanalyzer() -> NoReturn:
    """Run the command ``autoanalyzer``."""
    give_back_variables()
    hold_closed_streams()
    prefer_own_modules()
    from .main import main

    main()


def compiler() -> NoReturn:
    """Run ``aa-compiler``, which the stand-ins for compilers execute."""
    give_back_variables()
    hold_closed_streams()
    prefer_own_modules()
    from .wrapper import compiler

    compiler()
