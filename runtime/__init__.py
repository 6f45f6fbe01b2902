"""Measure a program with probes: the probe library and its build, the launch, and the gather into an experiment."""
