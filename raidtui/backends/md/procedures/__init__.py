"""What is done with arrays once they are there: start them, replace and add members, scrub."""
