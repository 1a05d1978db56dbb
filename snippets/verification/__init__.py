"""Snippets run and compared with their recorded output."""
