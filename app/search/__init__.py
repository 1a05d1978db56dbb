"""The search field, what is typed into it, and the results under it."""
