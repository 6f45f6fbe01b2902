"""Ranks that behave differently, the regions that make them differ, and why (paper 001, sections 4.2.1 to 4.4)."""
