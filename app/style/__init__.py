"""The look of the window: colours, fonts, style sheets, icons."""
