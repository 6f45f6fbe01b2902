"""Two sets of runs, judged: is the one slower, and where."""
