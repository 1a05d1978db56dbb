"""The rooms of the command line. None of them needs Qt."""
