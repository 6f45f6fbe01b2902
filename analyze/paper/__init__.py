"""The method of Liu et al. 2011 as printed, as a baseline for our own method.

Each module documents our choice where Liu et al. 2011 leave something open. Results have the same types as those of our
own method.
"""
