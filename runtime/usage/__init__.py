"""What programs use of the system, counted by call path on request: faults, switches, allocation, energy."""
