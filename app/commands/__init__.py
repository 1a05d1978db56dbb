"""Everything a person can do, by menu, key and palette."""
