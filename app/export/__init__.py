"""Exports notes to other formats."""
