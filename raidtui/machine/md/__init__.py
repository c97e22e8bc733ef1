"""Arrays of md: in the kernel, and by the superblocks on disks."""
