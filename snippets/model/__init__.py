"""Snippets: their files, their metadata, and the catalog."""
