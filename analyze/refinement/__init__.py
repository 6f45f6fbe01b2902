"""The second round of build and run (Liu et al. 2011, section 5): what to measure in detail, and what to leave out."""
