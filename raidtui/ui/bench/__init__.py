"""Benchmarks and sweeps: dialogs, progress and the grid."""
