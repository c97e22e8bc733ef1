"""Bands of unequal disks as md arrays, joined by LVM."""
