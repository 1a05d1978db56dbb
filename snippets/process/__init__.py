"""A supervisor as a process, its environment and its sandbox."""
