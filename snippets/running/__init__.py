"""Runs, from the request to the outcome."""
