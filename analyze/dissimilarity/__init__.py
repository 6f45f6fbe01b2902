"""Ranks that behave differently, the regions in which they differ, and why (Liu et al. 2011, sections 4.2.1 to 4.4)."""
