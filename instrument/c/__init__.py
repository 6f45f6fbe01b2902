"""The front end for C: preprocessed text in, code regions and text with guards out."""
