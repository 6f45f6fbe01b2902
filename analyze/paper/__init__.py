"""The method of paper 001 as it is printed, to measure by what ours departs from it.

Where the paper is silent, each module says what is taken. Its records are those of our own method.
"""
