"""What is wrong with arrays, and what is done about it. Pure."""
