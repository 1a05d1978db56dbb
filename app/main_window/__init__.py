"""The main window, and the parts of it created after the first note is shown."""
