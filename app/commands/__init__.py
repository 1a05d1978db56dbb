"""The commands of the window: menu, keys and palette."""
