"""Measure a program with probes: build the probe library, start the program, and gather its data into an experiment."""
