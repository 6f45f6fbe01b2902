"""Advice from the source: what to try, in which lines, and what it rests on."""
