"""Measured runs of a program: one, repeated, one per group of events, recorded, or in rounds with builds between.

The caller passes options, a command, and a reporter that shows progress to the user.
"""
