"""How a command talks to a terminal: lines that stay, lines that are redrawn, progress."""
