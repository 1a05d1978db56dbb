"""Notes with the code in them: loading, snippets of a vault, proven dates."""
