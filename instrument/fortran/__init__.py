"""The front end for Fortran, fixed and free form: from a source to code regions and the source with probes."""
