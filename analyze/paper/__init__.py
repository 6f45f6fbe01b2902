"""The method of Liu et al. 2011 as printed, as the baseline for our deviations from it.

Where Liu et al. 2011 leave something open, each module states the choice. The records are those of our own method.
"""
