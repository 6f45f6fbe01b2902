"""Make ``python -m autoanalyzer`` equivalent to the command ``autoanalyzer``."""

from .cli.command import autoanalyzer

autoanalyzer()
