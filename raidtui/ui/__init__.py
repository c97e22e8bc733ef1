"""The Textual app: one file a screen."""
