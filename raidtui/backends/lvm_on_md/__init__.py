"""Logical volumes of LVM on arrays of md."""
