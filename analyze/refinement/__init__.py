"""The second round of build and run (paper 001, section 5): what it opens, and what it drops."""
