"""The second round of build and run (Liu et al. 2011, section 5): what it opens, and what it drops."""
