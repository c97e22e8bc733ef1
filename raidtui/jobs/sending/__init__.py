"""Send a message on every way that is configured. Each runs in a child process with a time limit."""
