"""Rehearse a plan in the lab, on sparse copies of its disks."""
