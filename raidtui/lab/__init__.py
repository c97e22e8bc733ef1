"""A real kernel with virtual disks, without root. Stands alone."""
