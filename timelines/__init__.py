"""Time lines: what changes while a program runs, which metrics tell it, and the same moments in other runs."""
