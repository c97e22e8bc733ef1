"""The Textual app, by what a person does: each screen a view of the machine, a spec, a plan, a job or results."""
