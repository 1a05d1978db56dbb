"""The inverted index on disk, and the process that keeps it up to date."""
