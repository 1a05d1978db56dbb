"""A vault: a folder of notes, and what changes its files."""
