"""What a run can be put on: devices, interpreters, and their resources."""
