"""Notes: front matter, language, titles, listing, templates and notebooks."""
