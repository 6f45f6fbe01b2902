"""The commands: one module each, which checks arguments, calls one room, and hands the result to a view."""
