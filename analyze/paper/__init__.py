"""The method of Liu et al. 2011 as printed, as the baseline for our deviations from it.

Where the paper is silent, each module says what is taken. Its records are those of our own method.
"""
