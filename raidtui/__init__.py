"""raidtui: from bare disks to a RAID array that you understand, trust and have measured."""

__version__ = "0.1.0"
