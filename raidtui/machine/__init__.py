"""This room reads the computer: disks and why each is taken, arrays and their sync, SMART, tools. It never writes."""
