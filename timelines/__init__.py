"""Analyse time lines: find changes while a program runs, relate metrics to them, and align several runs."""
