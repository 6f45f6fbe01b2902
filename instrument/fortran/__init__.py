"""The front end for Fortran, fixed and free form: a source in, code regions and the source with probes out."""
