"""The main window and what it sets up after the first note is shown."""
