"""From a source to its code regions, and to the same source with probes: front ends and compiler wrapper."""
