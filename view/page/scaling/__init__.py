"""Create the pages that show how a program scales, and how the scaling of two versions differs."""

from .page import scaling_page

__all__ = ["scaling_page"]
