"""What a snippet is: its file, its metadata, and the catalog of all."""
