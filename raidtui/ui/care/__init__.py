"""Arrays and jobs: how they are, what runs, and what to do next."""
