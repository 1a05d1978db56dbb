"""The panels and bars around the page."""
