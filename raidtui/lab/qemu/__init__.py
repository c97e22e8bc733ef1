"""The engine that is QEMU: disks that look real, on a system of its own from an image. Debian packages only."""
