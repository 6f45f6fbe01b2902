"""Analyse time lines: find what changes while a program runs and related metrics, and align several runs."""
