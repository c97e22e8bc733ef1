"""The backends, one folder each. No code above this room asks which backend it is dealing with."""
