"""Put content that is already HTML into a picture."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Html"]


@dataclass(frozen=True, slots=True)
class Html:
    """A mark that is already HTML."""

    made: str

    def html(self) -> str:
        """Return the HTML."""
        return self.made
