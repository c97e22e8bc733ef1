"""LVM on bare disks: a volume group over the members, and one logical volume over all of it."""
