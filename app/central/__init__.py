"""The middle of the window: reader, editor and preview, the find bar, and find and replace in the vault."""
