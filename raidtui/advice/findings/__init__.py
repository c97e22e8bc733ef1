"""What is found wrong on a computer, one file a subject, and the words about it. Pure."""
