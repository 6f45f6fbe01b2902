"""Multivariate statistics of metrics (Ahn and Vetter, SC 2002): metrics, spaces of them, and analyses."""
