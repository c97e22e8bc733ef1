"""Arithmetic of levels, shared by all backends: failures survived, ideal speed, bytes read in a rebuild."""
