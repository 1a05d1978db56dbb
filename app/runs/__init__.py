"""Running the code of notes: devices, trust, options, active runs, their output and history. No widgets."""
