"""Regions that weigh more than others, and why (paper 001, sections 4.2.2 to 4.4)."""
