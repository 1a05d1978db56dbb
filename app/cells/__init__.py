"""What can be done with the code on a page, and what it printed."""
