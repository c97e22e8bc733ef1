"""Btrfs over several disks."""
