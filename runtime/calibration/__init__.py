"""Measure the times of single operations on a machine once, with small programs, and cache the results."""
