"""This room knows RAID: capacity, redundancy, time, hazards. Pure."""
