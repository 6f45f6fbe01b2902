"""Let ``python -m autoanalyzer`` be the command ``autoanalyzer``."""

from .cli.main import main

main()
