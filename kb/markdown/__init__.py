"""Markdown: lines, sections, fences and links of a note, its blocks and inline constructs, and safe HTML."""
