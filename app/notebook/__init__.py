"""Notes joined with their code: loading, snippets of a vault, proven dates."""
