"""From a note to a rendered page, piece by piece, in a process that can be killed."""
