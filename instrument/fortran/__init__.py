"""The front end for Fortran, fixed and free form: find the code regions in a source, and insert probes."""
