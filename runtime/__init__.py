"""From a program with probes to an experiment: the probe library, its build, the launch, the gather."""
