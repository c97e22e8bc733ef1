"""The QEMU engine: disks on real buses, and its own system from an image. Needs Debian packages only."""
