"""What a run leaves: its outcome, its output, its row in the ledger."""
