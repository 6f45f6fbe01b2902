"""The commands, one per module: each checks its arguments, calls one other subpackage, and shows the result."""
