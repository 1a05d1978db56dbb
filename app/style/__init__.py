"""How the window looks: colours, fonts, style sheets, icons."""
