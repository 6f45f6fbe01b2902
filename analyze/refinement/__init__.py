"""The second round of build and run (Liu et al. 2011, section 5): what it measures in detail, what it leaves out."""
