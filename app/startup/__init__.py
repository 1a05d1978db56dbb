"""Start of the window: application, workarounds for PySide, crash marker."""
