"""Benchmarks and sweeps: choosing, watching, and the grid."""
