"""Read this computer: disks and why each is taken, arrays and their sync, SMART, tools. Never writes.

`raidtui.machine.reader` reads a whole `Machine`, `raidtui.machine.md.arrays` only the md arrays;
`raidtui.machine.watch` reports when either has changed.
"""
