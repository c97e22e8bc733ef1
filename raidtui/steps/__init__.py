"""Shared by the backends: steps that prepare disks, make filesystems and mount them at boot, and conditions."""
