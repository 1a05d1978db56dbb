"""Files on disk: atomic writing, encodings, locks, paths, and walking a folder."""
