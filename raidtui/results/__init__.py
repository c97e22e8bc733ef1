"""This room keeps measured results and compares them."""
