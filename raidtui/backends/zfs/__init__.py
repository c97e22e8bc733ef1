"""Pools of ZFS."""
