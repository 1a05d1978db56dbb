"""The command line. Nothing here imports Qt."""
