"""The method of Liu et al. 2011 as printed, a baseline for our deviations from it.

If Liu et al. 2011 leave something open, the module concerned says what we chose. Results have the same types as our own
method's.
"""
