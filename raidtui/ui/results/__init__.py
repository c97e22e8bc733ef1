"""Results side by side."""
