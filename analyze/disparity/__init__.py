"""Regions that take more time than others, and why (Liu et al. 2011, sections 4.2.2 to 4.4)."""
