"""The editor: Markdown source with a live preview, saved automatically and never over another program's change."""
