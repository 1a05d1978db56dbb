"""The state of the window, room by room, and the workspace that holds them. No widgets."""
