"""A note in other formats."""
