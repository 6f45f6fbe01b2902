"""Let ``python -m autoanalyzer`` be the command ``autoanalyzer``."""

from .cli.command import autoanalyzer

autoanalyzer()
