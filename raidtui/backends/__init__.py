"""The backends, a folder each. Nothing above this room asks which one it deals with."""
