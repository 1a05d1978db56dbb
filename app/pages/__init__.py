"""Pages that are no notes: settings, keys, help."""
