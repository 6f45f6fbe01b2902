"""The method of Liu et al. 2011 as printed, a baseline for our deviations from it.

If Liu et al. 2011 leave something open, the module concerned documents our choice. Results have the same types as the
results of our own method.
"""
