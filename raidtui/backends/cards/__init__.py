"""What RAID cards of all families have in common: their records, units, drives and warnings."""
