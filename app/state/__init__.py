"""Models behind the window: open note, tabs, settings, search, related notes; the workspace joins them. No widgets."""
