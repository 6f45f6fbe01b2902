"""Python's variables for a program under study, which would prevent our own Python from running.

``PYTHONHOME`` of another Python ends ours before it runs a line, so a shell script saves and unsets them.
"""

from __future__ import annotations

import os

__all__ = ["give_back_variables"]

_HELD = "AUTOANALYZER_HELD_"  # twin: stand_ins/autoanalyzer


def give_back_variables() -> None:
    """Restore the variables as the user had set them, for the programs and compilers that we start."""
    for name in [name for name in os.environ if name.startswith(_HELD)]:
        os.environ[f"PYTHON{name.removeprefix(_HELD)}"] = os.environ.pop(name)
