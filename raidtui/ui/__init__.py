"""The Textual app: one file a screen, each a view of the machine, a spec, a plan, a job or results."""
