"""The tests of the program; a package, so that no other of this name that a library brings is taken for it."""
