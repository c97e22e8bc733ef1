"""What every screen stands in: the app, its pages, keys, themes, and how it starts and ends."""
