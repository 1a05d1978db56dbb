"""The results of a run: its outcome, its output, its row in the ledger."""
