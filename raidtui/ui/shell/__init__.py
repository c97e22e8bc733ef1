"""The frame of every screen: the app, its pages, keys and themes, how it starts and ends."""
