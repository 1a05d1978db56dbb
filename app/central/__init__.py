"""The middle of the window: the reader or the editor, and what comes and goes beside them."""
