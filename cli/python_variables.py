"""Restore variables such as ``PYTHONHOME``, which are meant for a Python program under study.

They could keep our own Python from starting, so the shell script ``stand_ins/autoanalyzer`` saves and unsets them.
"""

from __future__ import annotations

import os

__all__ = ["give_back_variables"]

_HELD = "AUTOANALYZER_HELD_"  # prefix of saved variables, as in stand_ins/autoanalyzer


def give_back_variables() -> None:
    """Restore the variables to the user's values, for the programs and compilers that this process starts."""
    for name in [name for name in os.environ if name.startswith(_HELD)]:
        os.environ[f"PYTHON{name.removeprefix(_HELD)}"] = os.environ.pop(name)
