"""Pages other than notes: settings with shortcuts, help, and the welcome page."""
