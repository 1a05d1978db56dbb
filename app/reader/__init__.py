"""The reader: a note of one or two languages as one document, its snippets and their output included."""
