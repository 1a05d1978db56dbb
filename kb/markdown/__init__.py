"""Markdown syntax: blocks, inline extensions, and safe HTML."""
