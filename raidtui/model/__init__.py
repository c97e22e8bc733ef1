"""The data model: sizes, disks and machines, specs, plans, journals, results. Pure data, no I/O, no clock."""
