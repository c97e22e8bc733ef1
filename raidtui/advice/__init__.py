"""Judge layouts: capacity, redundancy, time, hazards. Pure."""
