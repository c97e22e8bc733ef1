"""Compare results."""
