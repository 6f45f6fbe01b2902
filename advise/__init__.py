"""Advice from the source: what to try, in which lines, and what it rests on."""

from .advice import Advice
from .advise import Advised, advise
from .reading import Found

__all__ = ["Advice", "Advised", "Found", "advise"]
