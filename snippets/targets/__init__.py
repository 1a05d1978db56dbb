"""Where code can run: targets, devices, interpreters, and their resources."""
