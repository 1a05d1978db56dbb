"""Output and actions of code cells: results in the reader, menus and dialogs."""
