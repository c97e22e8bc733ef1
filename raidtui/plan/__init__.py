"""This room turns a spec and a machine into a plan: ordered steps that can be read before anything happens. Pure."""
