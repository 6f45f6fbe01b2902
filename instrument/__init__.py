"""Find the code regions of sources and insert probes into them: front ends for the languages, and compiler wrappers."""
