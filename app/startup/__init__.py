"""The start of the window: arguments, workarounds, application."""
