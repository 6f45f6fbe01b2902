"""Runs of a program, measured: one, repeated, one for each group of events, recorded, or in rounds with builds between.

Whoever calls gives options, a command, and a reporter for what the user sees meanwhile.
"""
