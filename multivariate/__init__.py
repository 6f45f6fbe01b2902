"""Multivariate statistics of metrics (Ahn and Vetter, SC 2002; "paper 003"): metrics, spaces of them, analyses."""
