"""Run a program and measure it: once, repeatedly, once per group of events, or in rounds with a build before each.

The caller passes options, a command, and a reporter that shows messages and progress.
"""
