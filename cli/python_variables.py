"""Variables of Python that are for a program under study: those that would keep our own Python from running.

``PYTHONHOME`` of another Python ends ours before it runs a line, so a shell script puts them away.
"""

from __future__ import annotations

import os

__all__ = ["give_back_variables"]

_HELD = "AUTOANALYZER_HELD_"  # twin: stand_ins/autoanalyzer


def give_back_variables() -> None:
    """Set the variables as the user has set them: programs and compilers that we start inherit them."""
    for name in [name for name in os.environ if name.startswith(_HELD)]:
        os.environ[f"PYTHON{name.removeprefix(_HELD)}"] = os.environ.pop(name)
