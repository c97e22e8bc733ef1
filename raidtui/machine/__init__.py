"""Reads this computer: disks and why each is taken, arrays and their sync, SMART, tools. Never writes.

`raidtui.machine.reader` makes a whole `Machine`, `raidtui.machine.arrays` the arrays alone,
`raidtui.machine.watch` reports when either changed.
"""
