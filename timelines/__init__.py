"""Time lines: what changes while a program runs, which metrics show it, and the same moments in other runs."""
