"""The commands, one module each: it checks arguments, calls one room, and passes the result to a view."""
