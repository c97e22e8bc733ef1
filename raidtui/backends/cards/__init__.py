"""The common part of all families of RAID cards: records, units, drives and warnings."""
