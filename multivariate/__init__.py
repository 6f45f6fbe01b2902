"""Multivariate statistics of metrics (Ahn and Vetter, SC 2002): metric spaces and their analyses."""
