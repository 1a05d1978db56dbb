"""Renders notes into pages, piece by piece, in a process that can be killed."""
