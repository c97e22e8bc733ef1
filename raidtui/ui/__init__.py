"""The Textual app, by task: each screen is a view of the machine, a spec, a plan, a job or results."""
