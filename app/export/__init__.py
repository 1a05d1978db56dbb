"""Export of notes to other formats."""
