"""Browse an experiment in a terminal."""

from .app import BrowserApp, browse_in_terminal

__all__ = ["BrowserApp", "browse_in_terminal"]
