"""Sweeps: build, measure and remove every combination of the lists in a file, on the same disks, unattended."""
