"""A filesystem on a single disk."""
