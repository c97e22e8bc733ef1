"""Arrays and jobs: their state, what is running, and what to do next."""
