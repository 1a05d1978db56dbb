"""A vault is a folder of notes; these modules read and change its files."""
