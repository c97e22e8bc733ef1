"""Sweeps: one file names disks and lists; every combination is built, measured and taken apart, unattended."""
