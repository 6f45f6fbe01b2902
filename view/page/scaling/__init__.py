"""Create the pages that show how a program scales, and how the scaling of two versions differs."""

from .comparison import scaling_comparison_page
from .page import scaling_page

__all__ = ["scaling_comparison_page", "scaling_page"]
