"""Make a plan from a spec and a machine: ordered steps that can be read before anything is changed. Pure."""
