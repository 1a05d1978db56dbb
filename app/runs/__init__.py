"""Running code: the room of runs, and what it knows of machines, options, outputs and verdicts. No widgets."""
