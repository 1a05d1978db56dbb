"""The editor: Markdown source with a live preview beside it, saved by itself and never over another's work."""
