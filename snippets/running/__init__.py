"""A run, from the request to the outcome."""
