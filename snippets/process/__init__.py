"""The connection to a supervisor, and what this machine offers to it."""
